import type { RunResult } from "../../packages/core/src/engine/run-result.js";
import type { RenderOptions, ReporterDefinition } from "../../packages/core/src/reporters/define-reporter.js";
import { renderToString } from "../../packages/core/src/reporters/render-to-string.js";

/** What the reporter makes of a run. */
export function rendererOf(
  reporter: ReporterDefinition,
): (run: RunResult, options?: Partial<RenderOptions>) => Promise<string> {
  return async (run, options = {}) => {
    const rendered = await renderToString(reporter, run, options);
    if (!rendered.success) throw new Error(rendered.error.message);
    return rendered.data;
  };
}
