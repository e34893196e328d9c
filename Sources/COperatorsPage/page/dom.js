// Makes elements. Text becomes text nodes and never markup, so that nothing a stranger chose is read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element. Functions under `on…` become listeners; null, undefined and false leave an attribute out. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an element of SVG. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Replaces what an element holds. */
export function put(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Tells screen readers what has happened. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}
