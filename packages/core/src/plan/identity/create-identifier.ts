import type { DatasetRow, Limits, PromptVariant, ResolvedTest, Timeouts } from "../../config/resolved-config.js";
import type { FaultVariant } from "../../tools/faults/fault.js";
import type { FaultTiming } from "../../tools/faults/fault-keys.js";
import type { ModelFault } from "../../tools/faults/model-fault.js";
import { isModelFault } from "../../tools/faults/model-faults.js";
import type { ToolFault } from "../../tools/faults/tool-fault.js";
import type { AuxiliaryRoute, AuxiliaryRoutes, PlannedCase } from "../run-plan.js";
import type { CaseIdentity, Identifier } from "./case-identity.js";
import { createHashMemory, hashOnwards, hashText, identityText, hashValue } from "./content-hash.js";
import {
  ignored,
  ofAgent,
  ofSetup,
  partOf,
  type Fields,
  type IdentityPart,
} from "../../config/settings/field-parts.js";
import { createIdentityView, type IdentitySettings } from "./identity-view.js";
import { createModelIdentity, type ModelIdentity } from "./model-identity.js";
import { createTestFields } from "./test-fields.js";
import { isRecord } from "../../values/json.js";
import type { AgentParts } from "./agent-parts.js";

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
const timingFields: Fields<FaultTiming> = { id: ignored, call: ofSetup, times: ofSetup, rate: ofSetup };
const toolFaultFields: Fields<ToolFault> = { ...timingFields, tool: ofSetup, effect: ofSetup };
const modelFaultFields: Fields<ModelFault> = { ...timingFields, model: ofSetup, effect: ofSetup };
const variantFields: Fields<FaultVariant> = {
  id: ignored,
  faults: {
    setup: (faults) =>
      faults.map((fault) =>
        isModelFault(fault) ? partOf(fault, modelFaultFields, "setup") : partOf(fault, toolFaultFields, "setup"),
      ),
  },
};

/** Each key of a case, and the part of its identity that it can change. */
function caseFieldsOf({ ofModel, ofPlanned }: ModelIdentity, testFields: Fields<ResolvedTest>): Fields<PlannedCase> {
  /** Nothing at all if there are none. */
  const askedOf = (asked: AuxiliaryRoutes, counts: (route: AuxiliaryRoute) => boolean): unknown => {
    const counted = [...asked].filter(([, route]) => counts(route));
    return counted.length === 0 ? undefined : counted.map(([name, { models }]) => [name, models.map(ofPlanned)]);
  };
  const ofAsked = {
    scoring: (asked: AuxiliaryRoutes) => askedOf(asked, () => true),
    setup: (asked: AuxiliaryRoutes) => askedOf(asked, isSteering),
  };
  return {
    id: ignored,
    // Cases whose arms differ are others; what they draw by is the same.
    lotId: ignored,
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
    maxRuns: ignored,
    required: ignored,
    params: ofAgent,
    limits: { setup: (limits) => partOf(limits, limitFields, "setup") },
    timeouts: { setup: (timeouts) => partOf(timeouts, timeoutFields, "setup") },
    fallbacks: { agent: (fallbacks) => fallbacks.map(ofPlanned) },
    simulator: { setup: (simulator) => simulator?.map(ofPlanned) ?? null },
    judges: ofAsked,
    embedders: ofAsked,
    delegates: { agent: ({ models }) => [...models].map(([id, chain]) => [id, chain.map(ofPlanned)]) },
    skip: ignored,
    leftOut: ignored,
    render: ignored,
  };
}

/** The hashes of cases. What cases have in common is hashed once. */
class CaseHashes {
  readonly #fields: Fields<PlannedCase>;
  // Tests mostly differ in setup and scoring alone.
  readonly #remembered = createHashMemory();
  // Trials of many tests end side by side, those of one test model by model.
  readonly #byTest = new WeakMap<ResolvedTest, (planned: PlannedCase) => SharedHashes>();
  readonly #ofSetupAndFault = rememberLast(
    ({ shared, fault }: { shared: SharedHashes; fault: FaultVariant }) =>
      hashText(`${shared.setup} ${this.#remembered(identityText(partOf(fault, variantFields, "setup")))}`),
    (one, other) => one.shared === other.shared && one.fault === other.fault,
  );
  readonly #ofPrompt = rememberLast(
    ({ prompt, shared }: { prompt: PromptVariant; shared: SharedHashes }) =>
      this.#remembered(`${shared.agent} ${this.#remembered(identityText(partOf(prompt, promptFields, "agent")))}`),
    (one, other) => one.prompt === other.prompt && one.shared === other.shared,
  );

  constructor(fields: Fields<PlannedCase>) {
    this.#fields = fields;
  }

  of(planned: PlannedCase): CaseIdentity {
    const shared = this.#sharedOf(planned);
    const { row, fault, prompt } = planned;
    const withoutRow = this.#ofSetupAndFault({ shared, fault });
    const setupHash =
      row === null ? withoutRow : hashOnwards(withoutRow, identityText(partOf(row, rowFields, "setup")));
    const agentHash = this.#ofPrompt({ prompt, shared });
    return { agentHash, setupHash, scoringHash: shared.scoring, passHash: shared.pass };
  }

  #sharedOf(planned: PlannedCase): SharedHashes {
    let ofTest = this.#byTest.get(planned.test);
    if (ofTest === undefined) {
      ofTest = rememberLast((one) => this.#makeShared(one), isOfSameAgent);
      this.#byTest.set(planned.test, ofTest);
    }
    return ofTest(planned);
  }

  #makeShared(planned: PlannedCase): SharedHashes {
    const textOf = (part: IdentityPart): string => identityText({ version, ...partOf(planned, this.#fields, part) });
    return {
      agent: this.#remembered(textOf("agent")),
      setup: hashText(textOf("setup")),
      scoring: hashText(textOf("scoring")),
      pass: this.#remembered(textOf("pass")),
    };
  }
}

/**
 * Makes the function that returns the identities of a run's cases. What is not in any hash cannot change a result: how
 * often and how fast a provider is asked, which cases are chosen, and what their verdicts mean for the run. The tables of
 * fields say so key by key.
 */
export function createIdentifier(settings: IdentitySettings): Identifier {
  const view = createIdentityView(settings);
  const { codeHash = null } = settings;
  const modelIdentity = createModelIdentity(view, settings.env);
  const testFields = createTestFields(view);
  const hashes = new CaseHashes(caseFieldsOf(modelIdentity, testFields));
  const agentPartsOf = createAgentParts(modelIdentity, testFields);
  /** A case of each agent. */
  const agents = new Map<string, PlannedCase>();
  // Who keeps a trial and who keeps its case ask one after the other.
  const identify = rememberLast(
    (planned: PlannedCase): CaseIdentity => {
      const identity = hashes.of(planned);
      if (codeHash !== null && hasProgram(planned.test)) identity.codeHash = codeHash;
      if (!agents.has(identity.agentHash)) agents.set(identity.agentHash, planned);
      return identity;
    },
    (one, other) => one === other,
  );
  return Object.assign(identify, {
    agentOf(agentHash: string) {
      const planned = agents.get(agentHash);
      return planned === undefined ? null : agentPartsOf(planned);
    },
  });
}

/** Whether a program takes part in a trial whose code the config may not name. */
function hasProgram({ target, tools, mcpServers }: ResolvedTest): boolean {
  return target !== null || mcpServers.length > 0 || tools.some(({ kind }) => kind !== "simulated");
}

function isSteering({ steers }: AuxiliaryRoute): boolean {
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

/** Makes the function that returns the parts of the agent of a case. Each field that counts for it is in one part. */
function createAgentParts(
  models: ModelIdentity,
  testFields: Fields<ResolvedTest>,
): (planned: PlannedCase) => AgentParts {
  return ({ model, prompt, params, fallbacks, test }) => {
    const { tools, mcpServers, ...others } = partOf(test, testFields, "agent");
    const { asked, documents } = model === null ? {} : models.partsOf(model);
    const parts: Readonly<Record<string, unknown>> = {
      prompt: partOf(prompt, promptFields, "agent")["system"],
      model: asked,
      script: isRecord(documents) && Object.keys(documents).length > 0 ? documents : null,
      params,
      tools: test.tools.length + test.mcpServers.length === 0 ? null : [tools, mcpServers],
      fallback: fallbacks.length === 0 ? null : fallbacks.map(models.ofPlanned),
      ...others,
    };
    const there = Object.entries(parts).filter(([, part]) => part !== null && part !== undefined);
    return Object.fromEntries(there.map(([name, part]) => [name, hashValue(part)]));
  };
}
