/** A YAML flow value. JSON is YAML; keys that need no quotes go without. */
export function renderFlow(value) {
  if (Array.isArray(value)) return `[${value.map(renderFlow).join(", ")}]`;
  if (typeof value !== "object" || value === null) return typeof value === "string" ? renderText(value) : String(value);
  const entries = Object.entries(value).map(([key, inner]) => `${renderText(key)}: ${renderFlow(inner)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

function renderText(text) {
  return /^[a-z_$][\w$-]*$/i.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
