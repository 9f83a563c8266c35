import type { RunResult } from "../engine/run-result.js";
import { moduleAction } from "../modules/module-action.js";
import type { RenderOptions } from "./define-reporter.js";

export interface RenderInput {
  result: Omit<RunResult, "trials">;
  options: Pick<RenderOptions, "verbose" | "color" | "width">;
}

/** What a reporter asks while it renders: the trials of a case (null: of all), and the next one of those. */
export type TrialQuestion = { open: string | null } | { next: number };

/** Renders a run. Each piece of text is a notice. */
export const renderAction = moduleAction<RenderInput, null>("render");
