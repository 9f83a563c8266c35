import type { AsTyped } from "../arguments/as-typed.js";
import type { RenderOptions } from "@kindlm/core";
import type { DigestOptions } from "../errors/digest-diagnostics.js";

/** What reporters for people need in addition to what formats need. */
export interface ReportOptions extends RenderOptions {
  /** How many problems of a config are shown. Default: equal ones once, and at most 20. */
  digest?: DigestOptions;
  /** The command that ran the tests, for the one that reruns some. Default: `kindlm test`. */
  command?: string;
  /** Default: commands stay as they are. */
  asTyped?: AsTyped;
}
