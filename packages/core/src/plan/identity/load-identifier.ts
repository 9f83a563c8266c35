import type { AssertionTemplate, ResolvedConfig, ResolvedTest } from "../../config/resolved-config.js";
import type { ResolvedModel } from "../../config/resolved-model.js";
import type { RunPlan } from "../run-plan.js";
import type { Identifier } from "./case-identity.js";
import { createIdentifier } from "./create-identifier.js";
import { hashFiles } from "./hash-files.js";
import { createNamedFiles } from "./named-files.js";

/**
 * Makes the function that tells the identities of a run's cases. Reads the files whose contents count and that the config
 * only names: modules, programs of the project and JSON Schemas. Call it before the first trial, so that what is changed
 * while the tests run is noticed by the next run.
 */
export async function loadIdentifier(
  { env, secretNames }: Pick<ResolvedConfig, "env" | "secretNames">,
  plan: Pick<RunPlan, "root" | "suites">,
): Promise<Identifier> {
  const contents = await hashFiles(namedFiles(plan));
  return createIdentifier({ root: plan.root, env, secretNames, contents });
}

function namedFiles({ root, suites }: Pick<RunPlan, "root" | "suites">): ReadonlySet<string> {
  const named = createNamedFiles(root);
  const files = new Set<string>();
  const seen = new Set<object>();
  const add = <T extends object>(owners: readonly T[], filesOf: (owner: T) => readonly string[]): void => {
    for (const owner of owners) {
      if (seen.has(owner)) continue;
      seen.add(owner);
      for (const file of filesOf(owner)) files.add(file);
    }
  };
  const tests = suites.flatMap((suite) => (suite.status === "ready" ? suite.source.tests : []));
  for (const test of tests) {
    add(test.tools, named.ofTool);
    add(test.mcpServers, named.ofServer);
    add(modelsOf(test), ({ definition: { file } }) => (file === undefined ? [] : [file]));
    if (test.target !== null) add([test.target], named.ofTarget);
    const assertions = assertionsOf(test);
    const isShared = ({ parsed }: AssertionTemplate): boolean => parsed !== null;
    add(assertions.filter(isShared), (template) => named.ofAssertion(template, test));
    // What placeholders stand for differs from test to test.
    const own = assertions.filter((template) => !isShared(template));
    for (const file of own.flatMap((template) => named.ofAssertion(template, test))) files.add(file);
  }
  return files;
}

/** Every model that a trial of the test may ask. */
function modelsOf({ models, simulatedUser, judges, embedders }: ResolvedTest): readonly ResolvedModel[] {
  const others = [...judges.values(), ...embedders.values()].map(({ model }) => model);
  const asked = [...models, ...(simulatedUser === null ? [] : [simulatedUser.model]), ...others];
  return asked.flatMap((model) => [model, ...model.fallback]);
}

function assertionsOf({ assertions, input, retries }: ResolvedTest): ResolvedTest["assertions"] {
  const ofTurns = input.kind === "messages" ? [] : input.userTurns.flatMap((turn) => turn.assertions);
  const ofRetries = (retries ?? []).flatMap((retry) =>
    retry === null ? [] : [...retry.assertions, ...retry.stopWhen],
  );
  return [...assertions, ...ofTurns, ...ofRetries];
}
