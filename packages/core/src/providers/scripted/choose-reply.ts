import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { failure, success, type Result } from "../../result.js";
import { preview } from "../../values/preview.js";
import { createRandom, hashText } from "../../values/random.js";
import type { Scene } from "./read-scene.js";
import type { Reply, Rule, Script } from "./script-schema.js";
import type { Matcher } from "../../matchers/matcher.js";
import { isRecord } from "../../values/json.js";

/** Operators that read their value as text. */
const textOperators = new Set(["$regex", "$contains", "$starts_with", "$ends_with", "$ignore_case", "$normalized"]);
const logicOperators = new Set(["$not", "$all_of", "$one_of", "$optional"]);

export interface ChosenReply {
  reply: Reply;
  /** Named groups of the rule's `$regex` on `user`, for `{{match.name}}`. */
  match: Readonly<Record<string, string>>;
}

/** The reply of the first rule that matches. The error says that none does, and what was asked. */
export function chooseReply(script: Script, scene: Scene, seed: number): Result<ChosenReply, string> {
  for (const [index, rule] of script.rules.entries()) {
    const found = attemptSync(
      () => (ruleMatches(rule, scene) ? namedGroups(rule, scene) : null),
      (cause) => `rule ${index + 1} of the script cannot be tried: ${messageOf(cause)}`,
    );
    if (!found.success) return found;
    if (found.data === null) continue;
    const draw = createRandom(hashText(`${seed}/${scene.turn}/${scene.attempt}/${index}`));
    return success({ reply: drawReply(rule, draw()), match: found.data });
  }
  if (script.otherwise !== undefined) return success({ reply: script.otherwise, match: {} });
  return failure(`no rule of the script matches, and it has no "otherwise". Asked: ${describe(scene)}`);
}

/** `drawn` is uniform in [0, 1). */
function drawReply(rule: Rule, drawn: number): Reply {
  const choices = rule.choose ?? [];
  const total = choices.reduce((sum, choice) => sum + choice.weight, 0);
  let rest = drawn * total;
  for (const choice of choices) {
    rest -= choice.weight;
    if (rest < 0) return choice.reply;
  }
  return rule.reply ?? choices.at(-1)?.reply ?? {};
}

function describe(scene: Scene): string {
  const asked = [`turn ${scene.turn}`, `user ${preview(scene.user)}`];
  if (scene.lastToolResult !== null) asked.push(`last_tool_result ${preview(scene.lastToolResult.value)}`);
  return asked.join(", ");
}

/** True when every condition of the rule holds. Throws RegexTimeout only. */
function ruleMatches(rule: Rule, scene: Scene): boolean {
  const { when } = rule;
  if (when === undefined) return true;
  return (
    holds(when.user, scene.user) &&
    holds(when.turn, scene.turn) &&
    holds(when.attempt, scene.attempt) &&
    holds(when.system, scene.system) &&
    holds(when.tools, scene.tools) &&
    (when.last_tool_result === undefined || holds(when.last_tool_result, toolResultFor(when.last_tool_result, scene)))
  );
}

/** The named groups of the `$regex` on `user`; call it only when the rule has matched. */
function namedGroups(rule: Rule, scene: Scene): Readonly<Record<string, string>> {
  const groups: Record<string, string> = {};
  for (const { source, flags } of regexesIn(rule.when?.user?.source)) {
    // The matcher has just found its match in this text within its deadline, so this finds the same one as fast.
    Object.assign(groups, new RegExp(source, flags).exec(scene.user)?.groups);
  }
  return groups;
}

function holds(matcher: Matcher | undefined, value: unknown): boolean {
  return matcher === undefined || matcher.match(value).pass;
}

/** A matcher that asks about text is given the text of the result, every other one the data in it. */
function toolResultFor(matcher: Matcher, { lastToolResult }: Scene): unknown {
  if (lastToolResult === null) return undefined;
  const { text, value } = lastToolResult;
  return typeof value !== "string" && asksAboutText(matcher.source) ? text : value;
}

function asksAboutText(source: unknown): boolean {
  if (typeof source === "string") return true;
  if (Array.isArray(source)) return source.some(asksAboutText);
  if (!isRecord(source)) return false;
  return Object.entries(source).some(
    ([key, value]) => textOperators.has(key) || (logicOperators.has(key) && asksAboutText(value)),
  );
}

function regexesIn(source: unknown): { source: string; flags: string }[] {
  if (!isRecord(source)) return [];
  const found = Array.isArray(source["$all_of"]) ? source["$all_of"].flatMap(regexesIn) : [];
  if (typeof source["$regex"] === "string") {
    found.push({ source: source["$regex"], flags: typeof source["$flags"] === "string" ? source["$flags"] : "" });
  }
  return found;
}
