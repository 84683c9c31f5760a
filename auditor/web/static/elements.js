/**
 * Elements of a page, built without markup: whatever stands in them is text.
 *
 * In: a name, attributes and children. Out: an element. Refuses to know what it is for.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} name
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] without what is false
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for drawings. @returns {SVGElement} */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** A sign that the page holds, by its name. @param {string} name */
export function sign(name, className = "sign") {
  const drawing = drawn("use", { href: `#${name}` });
  return drawn("svg", { class: className, "aria-hidden": "true", focusable: "false" }, drawing);
}

/** What only those who listen are told. @param {string} text */
export function aside(text) {
  return element("span", { class: "sr" }, text);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
