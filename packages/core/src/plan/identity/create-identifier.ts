import type { DatasetRow, Limits, PromptVariant, ResolvedTest, Timeouts } from "../../config/resolved-config.js";
import type { Fault, FaultVariant } from "../../tools/faults/fault.js";
import type { AskedRoute, AskedRoutes, PlannedCase } from "../run-plan.js";
import { createAgentParts } from "./create-agent-parts.js";
import type { CaseIdentity, Identifier } from "./case-identity.js";
import { createHashMemory, hashOnwards, hashText, identityText } from "./content-hash.js";
import { ignored, ofAgent, ofSetup, partOf, type Fields, type IdentityPart } from "./field-parts.js";
import { createIdentityScope, type ScopeSettings } from "./identity-scope.js";
import { createModelIdentity } from "./model-fields.js";
import { createTestFields } from "./test-fields.js";

/** What the cases of a test with one model have in common. */
interface SharedHashes {
  agent: string;
  setup: string;
  scoring: string;
  pass: string;
}

/** Changing how a hash is made makes every stored one another; then count on. */
const version = 1;

const limitFields: Fields<Limits> = { maxTurns: ofSetup, maxToolCalls: ofSetup, maxTrialCostUsd: ofSetup };

/** A trial that ran out of time is errored, and runs again anyway; a tool that did is something the agent has seen. */
const timeoutFields: Fields<Timeouts> = {
  connectMs: ignored,
  headersMs: ignored,
  idleMs: ignored,
  requestMs: ignored,
  trialMs: ignored,
  toolMs: ofSetup,
};

/** Ids of prompts, rows and faults are part of the id of the case. */
const promptFields: Fields<PromptVariant> = { id: ignored, system: ofAgent };
const rowFields: Fields<DatasetRow> = { key: ignored, values: ofSetup };
const faultFields: Fields<Fault> = {
  id: ignored,
  tool: ofSetup,
  call: ofSetup,
  times: ofSetup,
  rate: ofSetup,
  effect: ofSetup,
};
const variantFields: Fields<FaultVariant> = {
  id: ignored,
  faults: { setup: (faults) => faults.map((fault) => partOf(fault, faultFields, "setup")) },
};

/**
 * Makes the function that tells the identities of a run's cases. What is not in any hash cannot change a result: how
 * often and how fast a provider is asked, which cases are chosen, and what their verdicts mean for the run. The tables of
 * fields say so key by key.
 */
export function createIdentifier(settings: ScopeSettings): Identifier {
  const scope = createIdentityScope(settings);
  const modelIdentity = createModelIdentity(scope, settings.env);
  const { ofModel, ofPlanned } = modelIdentity;
  const testFields = createTestFields(scope);
  /** Nothing at all where there are none. */
  const askedOf = (asked: AskedRoutes, counts: (route: AskedRoute) => boolean): unknown => {
    const counted = [...asked].filter(([, route]) => counts(route));
    return counted.length === 0 ? undefined : counted.map(([name, { models }]) => [name, models.map(ofPlanned)]);
  };
  const ofAsked = {
    scoring: (asked: AskedRoutes) => askedOf(asked, () => true),
    setup: (asked: AskedRoutes) => askedOf(asked, isSteering),
  };
  const fields: Fields<PlannedCase> = {
    id: ignored,
    index: ignored,
    suite: ignored,
    test: {
      agent: (test) => partOf(test, testFields, "agent"),
      setup: (test) => partOf(test, testFields, "setup"),
      scoring: (test) => partOf(test, testFields, "scoring"),
      pass: (test) => partOf(test, testFields, "pass"),
    },
    agentId: ignored,
    model: { agent: (model) => (model === null ? null : ofModel(model)) },
    // These three are what cases of a test differ in; they come on top.
    prompt: ignored,
    row: ignored,
    fault: ignored,
    runs: ignored,
    required: ignored,
    params: ofAgent,
    limits: { setup: (limits) => partOf(limits, limitFields, "setup") },
    timeouts: { setup: (timeouts) => partOf(timeouts, timeoutFields, "setup") },
    fallbacks: { agent: (fallbacks) => fallbacks.map(ofPlanned) },
    simulator: { setup: (simulator) => simulator?.map(ofPlanned) ?? null },
    judges: ofAsked,
    embedders: ofAsked,
    skip: ignored,
    leftOut: ignored,
    render: ignored,
  };
  const textOf = (planned: PlannedCase, part: IdentityPart): string =>
    identityText({ version, ...partOf(planned, fields, part) });
  // Tests mostly differ in setup and scoring alone.
  const remembered = createHashMemory();
  const makeShared = (planned: PlannedCase): SharedHashes => ({
    agent: remembered(textOf(planned, "agent")),
    setup: hashText(textOf(planned, "setup")),
    scoring: hashText(textOf(planned, "scoring")),
    pass: remembered(textOf(planned, "pass")),
  });
  // Trials of many tests end side by side, those of one test model by model.
  const byTest = new WeakMap<ResolvedTest, (planned: PlannedCase) => SharedHashes>();
  const sharedOf = (planned: PlannedCase): SharedHashes => {
    let ofTest = byTest.get(planned.test);
    if (ofTest === undefined) byTest.set(planned.test, (ofTest = rememberLast(makeShared, isOfSameAgent)));
    return ofTest(planned);
  };
  const ofSetupAndFault = rememberLast(
    ({ shared, fault }: { shared: SharedHashes; fault: FaultVariant }) =>
      hashText(`${shared.setup} ${remembered(identityText(partOf(fault, variantFields, "setup")))}`),
    (one, other) => one.shared === other.shared && one.fault === other.fault,
  );
  const ofPrompt = rememberLast(
    ({ prompt, shared }: { prompt: PromptVariant; shared: SharedHashes }) =>
      remembered(`${shared.agent} ${remembered(identityText(partOf(prompt, promptFields, "agent")))}`),
    (one, other) => one.prompt === other.prompt && one.shared === other.shared,
  );
  const agentPartsOf = createAgentParts(modelIdentity, testFields, promptFields);
  /** A case of each agent. */
  const agents = new Map<string, PlannedCase>();
  const identify = (planned: PlannedCase): CaseIdentity => {
    const shared = sharedOf(planned);
    const { row, fault, prompt } = planned;
    const withoutRow = ofSetupAndFault({ shared, fault });
    const setupHash =
      row === null ? withoutRow : hashOnwards(withoutRow, identityText(partOf(row, rowFields, "setup")));
    const agentHash = ofPrompt({ prompt, shared });
    if (!agents.has(agentHash)) agents.set(agentHash, planned);
    return { agentHash, setupHash, scoringHash: shared.scoring, passHash: shared.pass };
  };
  return Object.assign(identify, {
    agentOf(agentHash: string) {
      const planned = agents.get(agentHash);
      return planned === undefined ? null : agentPartsOf(planned);
    },
  });
}

function isSteering({ steers }: AskedRoute): boolean {
  return steers;
}

function isOfSameAgent(one: PlannedCase, other: PlannedCase): boolean {
  return (
    one.model === other.model &&
    one.params === other.params &&
    one.limits === other.limits &&
    one.timeouts === other.timeouts &&
    one.fallbacks === other.fallbacks &&
    one.simulator === other.simulator &&
    one.judges === other.judges &&
    one.embedders === other.embedders
  );
}

function rememberLast<T, Made>(make: (value: T) => Made, isSame: (one: T, other: T) => boolean): (value: T) => Made {
  let last: { value: T; made: Made } | null = null;
  return (value) => {
    if (last === null || !isSame(last.value, value)) last = { value, made: make(value) };
    return last.made;
  };
}
