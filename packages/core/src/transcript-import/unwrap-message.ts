import { canonicalJson } from "../values/canonical-json.js";
import { isRecord, textOf } from "../values/json.js";

type Written = Record<string, unknown>;

/** The roles of all forms, in the words of KindLM; LangChain has its own as types and as names of classes. */
const roles: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
};

export type Role = "system" | "user" | "assistant" | "tool";

export interface Unwrapped {
  /** The message without what LangChain puts around it. */
  message: Written;
  /** What else stands around it. */
  around: Written;
  /** Null for a role that is not known. */
  role: Role | null;
}

/** Takes off what LangChain puts around a message when it stores one. Null for an item that is not a message. */
export function unwrapMessage(written: Written): Unwrapped | null {
  const { type, role } = written;
  if (type === "constructor" && isRecord(written["kwargs"])) {
    const { kwargs: message, id, ...around } = written;
    const names: readonly unknown[] = Array.isArray(id) ? id : [];
    return isRecord(message) ? { message, around, role: langChainRole(textOf(names.at(-1)), message) } : null;
  }
  if (role !== undefined && type !== "chat") return { message: written, around: {}, role: roleOf(textOf(role)) };
  const { data, ...around } = written;
  const message = isRecord(data) ? data : written;
  const named = typeof type === "string" ? langChainRole(type, message) : null;
  if (named !== null) return { message, around: isRecord(data) ? around : {}, role: named };
  return type === undefined || type === "message" ? { message: written, around: {}, role: null } : null;
}

/** LangChain for JavaScript keeps the constructor arguments of a message next to it. Null if both say the same. */
export function contradictionIn(message: Written): string | null {
  const { lc_kwargs: made } = message;
  if (!isRecord(made)) return null;
  const key = Object.keys(made).find((one) => canonicalJson(made[one] ?? null) !== canonicalJson(message[one] ?? null));
  return key === undefined ? null : key;
}

function langChainRole(name: string, message: Written): Role | null {
  const short = name.replace(/(?:Message)?(?:Chunk)?$/, "").toLowerCase();
  return roleOf(short === "chat" ? textOf(message["role"]) : short);
}

function roleOf(name: string): Role | null {
  return Object.hasOwn(roles, name) ? (roles[name] ?? null) : null;
}
