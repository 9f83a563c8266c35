import * as z from "../values/deferred-zod.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import type { ProviderDefinition } from "../providers/define-provider.js";
import { providerNameOf } from "../providers/http/provider-identity.js";
import type { ProviderAdapter } from "../providers/provider.js";
import { createScriptedAdapter } from "../providers/scripted/scripted-adapter.js";
import { success } from "../result.js";
import { createRandom, hashText } from "../values/random.js";
import type { Clock } from "../values/clock.js";
import { chaosScenarios, type ChaosScenario } from "./chaos-scenarios.js";
import { createModelReplacer, planRehearsal } from "./plan-rehearsal.js";

/** In a rehearsal a trial passes when its conversation comes to an end: the answers mean nothing. */
const answered: ParsedAssertion = {
  form: "check",
  type: "answered",
  not: false,
  weight: 1,
  when: null,
  definition: {
    type: "answered",
    summary: "The conversation came to its end",
    example: "{ type: answered }",
    options: z.unknown(),
    kind: "deterministic",
    evaluate: () => success({ pass: true, score: 1, message: "The model answered" }),
  },
  options: null,
  references: [],
};

const calm = chaosScenarios[0];

/**
 * The first `maxCases` cases of a run, with every model replaced by a script: those of the provider `victim` misbehave,
 * all others are well. Nothing is sent, no tool is called, and no assertion of the config is evaluated.
 */
export function planChaos(
  plan: RunPlan,
  { scenario, victim, maxCases }: { scenario: ChaosScenario; victim: string; maxCases: number },
): RunPlan {
  const reply = scenario.open();
  const wellReply = calm?.open() ?? reply;
  const definitions = new Map<string, ProviderDefinition>();
  let number = 0;
  let startedAt: number | null = null;

  const definitionOf = (model: ResolvedModel): ProviderDefinition => {
    const { definition, settings } = model;
    const isVictim = settings.providerName === victim;
    const id = JSON.stringify([settings.providerName, settings.model]);
    const known = definitions.get(id);
    if (known !== undefined) return known;
    const name = providerNameOf(definition, settings.providerName);
    const identity = { name, model: settings.model, apiKeyEnv: null };
    const replaced: ProviderDefinition = {
      ...definition,
      create: (_settings, { clock }) =>
        success(
          adapterOf(clock, identity, (seed, attempt) => {
            if (!isVictim) return wellReply({ number: 1, elapsedMs: 0, random: 1 });
            number += 1;
            startedAt ??= clock.monotonic();
            const random = createRandom(hashText(`${scenario.name}\n${seed}\n${attempt}\n${number}`))();
            return reply({ number, elapsedMs: clock.monotonic() - startedAt, random });
          }),
        ),
    };
    definitions.set(id, replaced);
    return replaced;
  };

  const replaced = createModelReplacer(definitionOf);

  const toChaosCase = (planned: PlannedCase): PlannedCase => ({
    ...planned,
    // A program would run in real time; the requests that matter here are the same without it. No model calls a tool, so
    // that none has to be opened.
    test: { ...planned.test, target: null, mcpServers: [] },
    model: planned.model === null ? null : replaced(planned.model),
    // The words of a stub user would mean nothing: the agent receives the scripted messages, or one.
    simulator: null,
    judges: new Map(),
    embedders: new Map(),
    fallbacks: planned.fallbacks.map((fallback) => ({ ...fallback, model: replaced(fallback.model) })),
    render: () => renderOpening(planned),
  });

  return planRehearsal(plan, firstCases(plan, maxCases), toChaosCase);
}

/** The case with the messages that are written, or with one; it passes when they are answered. */
function renderOpening(planned: PlannedCase): ReturnType<PlannedCase["render"]> {
  const rendered = planned.render();
  if (!rendered.success) return rendered;
  const { simulatedUser, userTurns, ...rest } = rendered.data;
  const opening = { role: "user" as const, content: simulatedUser?.goal ?? "" };
  return success({
    ...rest,
    tools: [],
    userTurns: userTurns.length === 0 ? [opening] : userTurns,
    assertions: [answered],
  });
}

type ReplyOf = (seed: number, attempt: number) => ReturnType<ReturnType<ChaosScenario["open"]>>;

function adapterOf(
  clock: Clock,
  identity: Parameters<typeof createScriptedAdapter>[1],
  replyOf: ReplyOf,
): ProviderAdapter {
  return {
    complete: (request, options) => {
      const { seed, attempt = 1, turn } = request.origin;
      const script = { rules: [], otherwise: replyOf(seed + turn, attempt) };
      return createScriptedAdapter(script, identity, clock).complete(request, options);
    },
  };
}

/** The first cases that ask a model. */
function firstCases(plan: RunPlan, maxCases: number): readonly PlannedCase[] {
  const kept: PlannedCase[] = [];
  for (const planned of plan.cases()) {
    if (kept.length >= maxCases) break;
    if (planned.model !== null) kept.push(planned);
  }
  return kept;
}
