import type { ModelPorts } from "../../assertions/model-ports.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import type { ModelChain, PlannedCase } from "../../plan/run-plan.js";
import type { Budget } from "../../resilience/budget.js";
import type { CallListener } from "../../resilience/call-endpoint.js";
import { embedTexts } from "../../resilience/embed-texts.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import { failure, success, type Result } from "../../result.js";
import { toTurnRecord } from "../../targets/model/to-turn-record.js";
import { spentUsdOf } from "../../transcript/turn.js";
import type { Clock } from "../../values/clock.js";
import { judgeError } from "./judge-error.js";
import type { JudgingCall } from "./judging-record.js";

export interface EmbedderSettings {
  planned: Pick<PlannedCase, "embedders">;
  /** `seed` is that of the judges of this trial. */
  origin: { caseId: string; trial: number; seed: number };
  routeThrough(models: ModelChain): Result<ModelRoute>;
  budget: Budget;
  clock: Clock;
  random(): number;
  signal: AbortSignal;
  /** Is notified of its calls; `request` counts those of the trial, from 1. */
  listenTo(request: number, role: JudgingCall["role"]): CallListener;
}

/** What asks embedding models about one trial. Each request is added to `calls`, which judges share. */
export function createEmbedder(settings: EmbedderSettings, calls: JudgingCall[]): ModelPorts["embed"] {
  const { planned, origin, budget, clock, random, signal, listenTo } = settings;
  /** The position of each on its route; a fallback that answered once continues. */
  const positions = new Map<string | null, number>();

  return async (name, texts) => {
    const asked = planned.embedders.get(name);
    if (asked === undefined) return failure(unknownEmbedder(name));
    const { id } = asked.models[0].model;
    const route = settings.routeThrough(asked.models);
    if (!route.success) return failure(judgeError(route.error, id, 0, role));
    if (signal.aborted) return failure(trialStopped());
    const request = calls.length + 1;
    const ports = { budget, clock, random, listener: listenTo(request, "embedder") };
    const question = { texts, origin: { ...origin, turn: request } };
    const call = await embedTexts(question, route.data, positions.get(name) ?? 0, ports, { signal });
    positions.set(name, call.position);
    const record = toTurnRecord(request, 0, call, route.data);
    calls.push({ ...record, role: "embedder", model: id });
    budget.spend(spentUsdOf(record));
    if (signal.aborted) return failure(trialStopped());
    const { result } = call;
    if (!result.success) return failure(judgeError(result.error, id, 1, role));
    return success({ vectors: result.data.vectors, costUsd: record.costUsd });
  };
}

const role = "embedding model";

/** The config names every model that it knows of beforehand; a row of a dataset cannot bring another. */
function unknownEmbedder(name: string | null): KindlmError {
  const message =
    name === null
      ? "No embedding model is named for this test"
      : `The embedding model "${name}" is not known to this test: its name must be the same for every row`;
  return kindlmError("JUDGE_EVAL_ERROR", message, { details: name === null ? {} : { judge: name } });
}
