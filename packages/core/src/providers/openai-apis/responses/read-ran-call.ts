import { isRecord, textOf } from "../../../values/json.js";
import { wordSet } from "../../../values/word-set.js";
import type { RanToolCall } from "../../provider.js";
import { readToolArguments } from "../../tool-arguments.js";

/** The keys of a call's item that are not arguments of the tool. */
const aboutCall = wordSet(`
  type id call_id status name output outputs result results error server_label approval_request_id created_by
  namespace caller agent execution pending_safety_checks
`);

/** The types of calls that contain the name of the tool; the tools that OpenAI runs are named by the type. */
export const needsName = /^(?:function|custom_tool|mcp|tool|server_tool)_call$|^mcp_approval/;

/** A call of a tool that OpenAI runs, or asks to be allowed to, such as `web_search`; null for what is none. */
export function readRanCall(item: Record<string, unknown>): RanToolCall | null {
  const type = textOf(item["type"]);
  const name = textOf(item["name"]);
  if (!type.endsWith("_call") && type !== "mcp_approval_request") return null;
  if (name === "" && needsName.test(type)) return null;
  const tool = name || type.slice(0, -"_call".length);
  const { arguments: written, input } = item;
  if (written !== undefined) return { tool, ...readToolArguments(written) };
  return { tool, args: input ?? hostedArguments(hostedParts(item)) };
}

/** What an item has that is of the call alone, such as the code of an interpreter. */
export function hostedParts(item: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !aboutCall.has(key)));
}

/** What a tool that OpenAI runs was called with. */
export function hostedArguments(parts: Record<string, unknown>): unknown {
  const { action, ...others } = parts;
  return isRecord(action) && Object.keys(others).length === 0 ? action : parts;
}
