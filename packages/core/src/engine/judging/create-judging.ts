import type { ModelPorts } from "../../assertions/model-ports.js";
import type { PlannedCase } from "../../plan/run-plan.js";
import { auxiliaryTotalsOf } from "../../transcript/auxiliary-totals.js";
import type { JudgingCall, JudgingRecord } from "../../transcript/judging.js";
import { createEmbedder, type EmbedderSettings } from "./create-embedder.js";
import { JudgePanel } from "./judge-panel.js";

export interface JudgingSettings extends EmbedderSettings {
  planned: Pick<PlannedCase, "judges" | "embedders">;
  baselineAnswer: ModelPorts["baselineAnswer"];
  /** What was asked when the trial was evaluated before. */
  earlier: readonly JudgingCall[];
}

/** What asks models about one trial. */
export interface Judging {
  ports: ModelPorts;
  /** Null while nothing was asked. */
  record(): JudgingRecord | null;
}

export function createJudging(settings: JudgingSettings): Judging {
  const calls: JudgingCall[] = [...settings.earlier];
  const panel = new JudgePanel(settings, calls);
  return {
    ports: {
      askJudge: (name, question) => panel.ask(name, question),
      embed: createEmbedder(settings, calls),
      baselineAnswer: settings.baselineAnswer,
    },
    record: () => (calls.length === 0 ? null : { ...auxiliaryTotalsOf(calls), calls }),
  };
}
