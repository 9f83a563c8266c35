import { createHash } from "node:crypto";
import type { ShardInfo } from "./shard-info.js";
import { checkHashOf, type IdentifyCase } from "../identity/case-identity.js";
import { hashValue } from "../identity/content-hash.js";
import type { PlanPart } from "../run-plan.js";
import { gateRulesOf } from "../gate-rules.js";

/** What a shard says of the whole run, so that only parts of the same one are ever merged. */
export function describeShard({ shard, whole, durationsHash }: PlanPart, identify: IdentifyCase): ShardInfo {
  const [cases, contents] = [createHash("sha256"), createHash("sha256")];
  for (const planned of whole.cases()) {
    const identity = identify(planned);
    const { runs, required, skip, test } = planned;
    cases.update(`${planned.id}\n`);
    contents.update(
      JSON.stringify([
        identity.agentHash,
        checkHashOf(identity),
        runs,
        required,
        skip,
        test.critical,
        test.allowFailure,
      ]),
    );
  }
  const suites = whole.suites.map((suite) => {
    if (suite.status === "ready") return { name: suite.name, cases: suite.caseCount };
    for (const { id } of suite.cases) cases.update(`${id}\n`);
    return { name: suite.name, cases: suite.cases.length };
  });
  const { exitOn, project } = whole;
  const { gates, suiteGates = {} } = gateRulesOf(whole);
  const { alpha, margin } = whole.comparison;
  const digest = (hash: typeof cases): string => hash.digest("hex").slice(0, 16);
  return {
    ...shard,
    suites,
    planHash: {
      cases: digest(cases.update(JSON.stringify(suites))),
      contents: digest(contents),
      rules: hashValue({ gates, suiteGates, exitOn, alpha, margin, project }),
      durations: durationsHash,
    },
  };
}
