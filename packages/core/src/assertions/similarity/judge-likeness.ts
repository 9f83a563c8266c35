import type { Result } from "../../result.js";
import type { Trial } from "../../transcript/trial.js";
import { evalError } from "../assertion-failure.js";
import type { ModelPorts } from "../model-ports.js";

export interface JudgedLikeness {
  score: number;
  costUsd: number | null;
  why: string | null;
}

export async function judgeLikeness(
  _texts: { what: "reference" | "baseline"; reference: string; answer: string; model: string | null },
  _trial: Trial,
  _models: Pick<ModelPorts, "askJudge">,
): Promise<Result<JudgedLikeness>> {
  return evalError("similar", "not yet");
}
