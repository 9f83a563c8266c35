import { memberOf } from "./exact-integers.js";
import { isRecord } from "./json.js";
import { withSigns } from "./visible.js";

const identifier = /^[A-Za-z_$][\w$]*$/;

/** A value on one line for people, such as `{order_id: "ORD-1"}`, cut to about `max` characters. */
export function preview(value: unknown, max = 120): string {
  const text = write(value, max);
  return text.length > max ? `${headOf(text, max - 1)}…` : text;
}

/** A tool call on one line, such as `lookup_order({order_id: "ORD-1"})`. */
export function previewCall(tool: string, args: unknown, max = 120): string {
  if (args === undefined || (isRecord(args) && Object.keys(args).length === 0)) return `${tool}()`;
  return `${tool}(${preview(args, max)})`;
}

/** A path such as `items[2].price` or `["odd key"].x`; empty for the value itself. */
export function renderPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (!identifier.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

function write(value: unknown, budget: number): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") {
    return JSON.stringify(withSigns(value.length > budget ? `${headOf(value, budget)}…` : value));
  }
  if (Array.isArray(value))
    return writeMembers("[", "]", [...value.keys()], budget, (index, room) => write(memberOf(value, index), room));
  if (isRecord(value)) {
    return writeMembers("{", "}", Object.keys(value), budget, (key, room) => {
      const name = identifier.test(key) ? key : JSON.stringify(key);
      return `${name}: ${write(memberOf(value, key), room)}`;
    });
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  return value === null ? "null" : typeof value;
}

/** The first characters of text, none of them in parts. */
function headOf(text: string, length: number): string {
  return text.slice(0, new Intl.Segmenter().segment(text.slice(0, length + 100)).containing(length)?.index ?? length);
}

/** Stops once the budget is spent, so that a huge value costs no more than a small one. */
function writeMembers<T>(
  open: string,
  close: string,
  members: readonly T[],
  budget: number,
  writeMember: (member: T, room: number) => string,
): string {
  const parts: string[] = [];
  let length = 2;
  for (const member of members) {
    if (length > budget) {
      parts.push("…");
      break;
    }
    const part = writeMember(member, Math.max(1, budget - length));
    parts.push(part);
    length += part.length + 2;
  }
  return `${open}${parts.join(", ")}${close}`;
}
