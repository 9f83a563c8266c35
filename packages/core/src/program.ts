// The parts of core that a program around it needs, such as the command line: text for people, parts of reports, files.

export { compareModels } from "./engine/summary/compare-models.js";
export { attempt, attemptSync } from "./errors/boundary.js";
export { findNearestConfig } from "./config/find-config-files.js";
export { diagnosticsOf } from "./errors/diagnostics-of.js";
export { messageOf } from "./errors/message-of.js";
export { writeError } from "./files/store-error.js";
export { writeAtomically } from "./files/write-atomically.js";
export { checkShard } from "./plan/shard/check-shard.js";
export { isInForeground, signalOwnGroup } from "./processes/signal-process.js";
export { redactValue } from "./redaction/redact-value.js";
export { secretValues } from "./redaction/secret-values.js";
export { maskFor } from "./reporters/case-mask.js";
export { describeExecution, type Execution } from "./reporters/describe-execution.js";
export { failingAssertions } from "./reporters/failing-assertions.js";
export { flakyCases, quarantinedTests } from "./reporters/flaky-tests.js";
export { reportedComparison } from "./reporters/report-parts.js";
export { reportedEvent } from "./reporters/reported-event.js";
export { whyNotPassed } from "./reporters/why-not-passed.js";
export { argsOf } from "./transcript/args-of.js";
export { capitalized } from "./values/capitalized.js";
export { renderDuration } from "./values/duration.js";
export { withExactIntegers } from "./values/exact-integers.js";
export { isRecord } from "./values/json.js";
export { didYouMean } from "./values/nearest-name.js";
export { plural } from "./values/plural.js";
export { preview, previewCall } from "./values/preview.js";
export { visible, visibleLine } from "./values/visible.js";
