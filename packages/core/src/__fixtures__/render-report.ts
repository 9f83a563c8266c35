import type { RunResult } from "../engine/run-result.js";
import type { RenderOptions, ReporterDefinition } from "../reporters/define-reporter.js";
import { renderToString } from "../reporters/render-to-string.js";

/** What the reporter makes of a run. */
export function rendererOf<Options extends RenderOptions>(
  reporter: ReporterDefinition<Options>,
): (run: RunResult, options?: Partial<Options>) => Promise<string> {
  return async (run, options = {}) => {
    const rendered = await renderToString(reporter, run, options);
    if (!rendered.success) throw new Error(rendered.error.message);
    return rendered.data;
  };
}
