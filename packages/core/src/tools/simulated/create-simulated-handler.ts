import { attemptSync, messageOf } from "../../errors/boundary.js";
import { previewCall } from "../../values/preview.js";
import { renderTemplate } from "../../values/template.js";
import type { SimulatedAnswer, SimulatedResponse, SimulatedToolConfig } from "../tool-config.js";
import type { AnswerScope, HandlerOutcome, ToolHandler } from "../tool-handler.js";

/** Answers calls from the responses of the config. Which response is used is fixed when the call starts. */
export function createSimulatedHandler(config: SimulatedToolConfig, scope: AnswerScope): ToolHandler {
  const uses = new Map<SimulatedResponse, number>();
  let calls = 0;

  const pick = (args: unknown): SimulatedResponse | null => {
    calls += 1;
    for (const response of config.responses) {
      if (response.call !== null && response.call !== calls) continue;
      const used = uses.get(response) ?? 0;
      if (response.times !== null && used >= response.times) continue;
      if (response.when !== null && !response.when.match(args ?? {}).pass) continue;
      uses.set(response, used + 1);
      return response;
    }
    return null;
  };

  return {
    async execute(args, { signal, clock }) {
      const picked = attemptSync(() => pick(args), messageOf);
      if (!picked.success) return brokenFixture(config.name, picked.error);
      const response = picked.data;
      if (response !== null && response.delayMs > 0) await clock.sleep(response.delayMs, signal);
      const answer = response?.answer ?? config.default;
      if (answer !== null) return renderAnswer(answer, { ...scope, args: args ?? {} });
      return {
        ok: false,
        failure: { errorType: "logical", message: `No simulated response for ${previewCall(config.name, args)}` },
      };
    },
  };
}

/** A condition that can not be told, such as a regular expression that does not come to an end. */
function brokenFixture(tool: string, reason: string): HandlerOutcome {
  const message = `The responses of the simulated tool "${tool}" can not be matched: ${reason}`;
  return { ok: false, failure: { errorType: "exception", message }, broken: true };
}

function renderAnswer(answer: SimulatedAnswer, values: AnswerScope): HandlerOutcome {
  const rendered = renderTemplate(answer, { values });
  if (!rendered.success) {
    const names = rendered.error.map((problem) => `{{${problem.name}}}`).join(", ");
    // An optional argument that was left out is the usual cause, and then the model can do something about it.
    return { ok: false, failure: { errorType: "logical", message: `The call has no value for ${names}` } };
  }
  const ready = rendered.data;
  if ("return" in ready) return { ok: true, value: ready.return };
  const { type, message, retryable, recommendations } = ready.error;
  return {
    ok: false,
    failure: {
      errorType: type,
      message,
      ...(retryable === undefined ? {} : { retryable }),
      ...(recommendations === undefined ? {} : { recommendations }),
    },
  };
}
