import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { failure, success, type Result } from "../../result.js";
import { preview } from "../../values/preview.js";
import { createRandom, hashText } from "../../values/random.js";
import { namedGroups, ruleMatches } from "./match-rule.js";
import type { Scene } from "./read-scene.js";
import type { Reply, Rule, Script } from "./script-schema.js";

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
