import type { Result } from "../result.js";
import type { ModelPorts } from "./model-ports.js";

/** Counts what the models cost that an assertion asks. */
export function meterModels(models: ModelPorts): { models: ModelPorts; readonly costUsd: number | null } {
  let costUsd: number | null = 0;
  const metered = async <T extends { costUsd: number | null }>(asking: Promise<Result<T>>): Promise<Result<T>> => {
    const asked = await asking;
    if (asked.success) costUsd = costUsd === null || asked.data.costUsd === null ? null : costUsd + asked.data.costUsd;
    return asked;
  };
  return {
    models: {
      askJudge: (model, question) => metered(models.askJudge(model, question)),
      embed: (model, texts) => metered(models.embed(model, texts)),
      baselineAnswer: () => models.baselineAnswer(),
    },
    get costUsd() {
      return costUsd;
    },
  };
}
