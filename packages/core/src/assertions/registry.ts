import type { AssertionDefinition } from "./define-assertion.js";
import { asksBefore } from "./asks-before/asks-before.js";
import { command } from "./command/command.js";
import { conversationEnded } from "./conversation-ended/conversation-ended.js";
import { contains } from "./contains/contains.js";
import { cost } from "./cost/cost.js";
import { delegatesTo } from "./delegates-to/delegates-to.js";
import { doesNotRefuse } from "./does-not-refuse/does-not-refuse.js";
import { drift } from "./drift/drift.js";
import { equals } from "./equals/equals.js";
import { exitCode } from "./exit-code/exit-code.js";
import { event } from "./event/event.js";
import { file } from "./file/file.js";
import { filesChanged } from "./files-changed/files-changed.js";
import { finishReason } from "./finish-reason/finish-reason.js";
import { fixesArguments } from "./fixes-arguments/fixes-arguments.js";
import { handsOffTo } from "./hands-off-to/hands-off-to.js";
import { json } from "./json/json.js";
import { judge } from "./judge/judge.js";
import { keywordsAbsent } from "./keywords-absent/keywords-absent.js";
import { keywordsPresent } from "./keywords-present/keywords-present.js";
import { latency } from "./latency/latency.js";
import { length } from "./length/length.js";
import { loadsSkill } from "./loads-skill/loads-skill.js";
import { matches } from "./matches/matches.js";
import { maxToolCalls } from "./max-tool-calls/max-tool-calls.js";
import { mcpError } from "./mcp-error/mcp-error.js";
import { mcpLint } from "./mcp-lint/mcp-lint.js";
import { mcpProgress } from "./mcp-progress/mcp-progress.js";
import { mcpResult } from "./mcp-result/mcp-result.js";
import { mcpSnapshot } from "./mcp-snapshot/mcp-snapshot.js";
import { module } from "./module/module.js";
import { noBlindRetry } from "./no-blind-retry/no-blind-retry.js";
import { noPii } from "./no-pii/no-pii.js";
import { noRedundantCalls } from "./no-redundant-calls/no-redundant-calls.js";
import { noToolErrors } from "./no-tool-errors/no-tool-errors.js";
import { notContains } from "./not-contains/not-contains.js";
import { permission } from "./permission/permission.js";
import { recoversFrom } from "./recovers-from/recovers-from.js";
import { refuses } from "./refuses/refuses.js";
import { routesTo } from "./routes-to/routes-to.js";
import { schema } from "./schema/schema.js";
import { servedBy } from "./served-by/served-by.js";
import { similar } from "./similar/similar.js";
import { startsWith } from "./starts-with/starts-with.js";
import { stdout } from "./stdout/stdout.js";
import { todo } from "./todo/todo.js";
import { tokens } from "./tokens/tokens.js";
import { toolArgsSchema } from "./tool-args-schema/tool-args-schema.js";
import { toolCalled } from "./tool-called/tool-called.js";
import { toolCalls } from "./tool-calls/tool-calls.js";
import { toolNotCalled } from "./tool-not-called/tool-not-called.js";
import { toolOrder } from "./tool-order/tool-order.js";
import { turns } from "./turns/turns.js";
import { wroteOutside } from "./wrote-outside/wrote-outside.js";

/** Every assertion type, in the order of the docs. To add one: its folder, and its line here. */
export const assertionDefinitions: readonly AssertionDefinition[] = [
  toolCalled,
  toolNotCalled,
  toolOrder,
  routesTo,
  toolCalls,
  toolArgsSchema,
  maxToolCalls,
  noRedundantCalls,
  recoversFrom,
  noBlindRetry,
  fixesArguments,
  noToolErrors,
  asksBefore,
  permission,
  event,
  delegatesTo,
  loadsSkill,
  todo,
  conversationEnded,
  contains,
  notContains,
  startsWith,
  equals,
  matches,
  keywordsPresent,
  keywordsAbsent,
  json,
  schema,
  noPii,
  length,
  refuses,
  doesNotRefuse,
  judge,
  similar,
  drift,
  latency,
  cost,
  tokens,
  turns,
  finishReason,
  servedBy,
  mcpResult,
  mcpError,
  mcpProgress,
  mcpSnapshot,
  mcpLint,
  exitCode,
  stdout,
  file,
  filesChanged,
  wroteOutside,
  module,
  command,
  handsOffTo,
];

const byType = new Map(assertionDefinitions.map((definition) => [definition.type, definition]));

/** The names that `type` may have. */
export const assertionTypes: readonly string[] = [...byType.keys()];

export function findAssertion(type: string): AssertionDefinition | undefined {
  return byType.get(type);
}
