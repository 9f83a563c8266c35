import type { ReporterDefinition } from "./define-reporter.js";
import { csvReporter } from "./csv/csv-reporter.js";
import { jsonReporter } from "./json/json-reporter.js";
import { junitReporter } from "./junit/junit-reporter.js";
import { tapReporter } from "./tap/tap-reporter.js";

/** The reporters that write formats for programs. A new one joins by one line. */
export const formats: readonly ReporterDefinition[] = [jsonReporter, junitReporter, csvReporter, tapReporter];
