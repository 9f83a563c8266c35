export { success, failure, type Failure, type Result, type Success } from "./result.js";
export {
  errorTable,
  type ErrorDefinition,
  type FailureCategory,
  type Attribution,
  type Retryability,
} from "./errors/error-table.js";
export {
  categoryOf,
  errorNumber,
  attributionOf,
  isErrorCode,
  kindlmError,
  type ErrorCode,
  type ErrorOrigin,
  type KindlmError,
  type KindlmErrorOf,
} from "./errors/kindlm-error.js";
export type { SourcePosition } from "./errors/source-position.js";
export type { Diagnostic } from "./errors/error-table.js";

export type { ProjectPlace } from "./config/locate-root.js";
export { listCases, type CaseList, type ListedCase } from "./commands/list-cases.js";
export { runTests } from "./commands/run-tests.js";
export { cassetteLatencies, cassetteModes } from "./config/cassette-mode.js";
export type { CassetteLatency, CassetteMode } from "./config/cassette-mode.js";
export type { RunTestsOptions, Shard, TestFilters } from "./plan/run-options.js";
export type { Environment, ServerTrace } from "./run/environment.js";
export { validateConfig, type ValidationReport } from "./commands/validate-config.js";
export { configJsonSchema } from "./config/editor-schema/config-json-schema.js";
export { kindlmVersion } from "./version.js";

export type { RunEvent, RunEventBody, RunEventType, TrialRef } from "./engine/run-event.js";
export type { RunEventListener } from "./engine/create-event-stream.js";
export type { ChangedCase, ComparedSuite, RunComparison, SuiteComparison } from "./summary/comparison-result.js";
export type { GateResult } from "./gates/gate-result.js";
export type { CaseSummary, PassK, RateStatistics, SuiteSummary } from "./summary/case-summary.js";
export type {
  ScoredSource,
  RunInfo,
  RunResult,
  RunSummary,
  SuiteResult,
  TestResult,
  TrialResult,
} from "./engine/run-result.js";
export type { ProviderTotals, Quantiles } from "./summary/run-totals.js";
export type { AttemptRecord } from "./transcript/attempt.js";
export type { AssistantMessage, ContentPart, Message, RequestedToolCall, UserMessage } from "./transcript/message.js";
export type { ToolErrorType, ToolFailure } from "./transcript/tool-failure.js";
export type { Delegation, Trial, TrialToolCall } from "./transcript/trial.js";
export type { FaultKind, FiredFault } from "./transcript/fired-fault.js";
export type { HookDecision } from "./transcript/hook-decision.js";
export type { StateChange } from "./transcript/state-change.js";
export type { RejectedTry, TrialTries } from "./engine/retry-until/trial-tries.js";
export type { FaultReport } from "./tools/faults/fault-report.js";
export type { TurnRecord } from "./transcript/turn.js";
export type { Usage } from "./transcript/usage.js";

export type {
  AssertionConfig,
  ConfigValue,
  KindlmConfig,
  MatcherConfig,
  Placeholder,
  RegisteredAssertions,
  RegisteredProviders,
  RegisteredTargets,
  SuiteConfig,
} from "./generated/config-types.js";
export {
  defineConfig,
  type Computed,
  type ConfigContext,
  type ConfigExport,
  type ConfigInput,
  type SuiteInput,
  type TestInput,
} from "./config/module/define-config.js";
export {
  evaluateAssertion,
  type AssertionEnvironment,
  type EvaluateAssertionOptions,
} from "./assertions/evaluate-assertion.js";
export type { JudgeFinding, JudgeVote } from "./assertions/judging/judge-votes.js";
export type { Embeddings, JudgeQuestion, JudgeReply, ModelPorts } from "./assertions/model-ports.js";
export type { JudgingCall, JudgingRecord } from "./engine/judging/judging-record.js";
export type { AssertionOutcome, AssertionResult } from "./assertions/assertion-result.js";
export { defineCheck } from "./assertions/module/define-check.js";
export { defineAssertion, type AssertionExtension } from "./extensions/define-assertion.js";
export {
  defineProvider,
  type ProviderAnswer,
  type ProviderCall,
  type ProviderCallContext,
  type ProviderExtension,
  type ProviderFault,
} from "./extensions/define-provider.js";
export { defineTarget, type TargetExtension } from "./extensions/define-target.js";
export type { ModelParams, ToolDefinition } from "./providers/provider.js";
export { definePlugin } from "./plugins/define-plugin.js";
export type {
  HookedCall,
  HookedOutcome,
  Plugin,
  PluginContext,
  PostToolUseDecision,
  PreToolUseDecision,
  ProviderFailedContext,
  RunEndedContext,
  ToolFailedContext,
  ToolUseContext,
  TrialContext,
  TrialEndedContext,
} from "./plugins/define-plugin.js";
export { defineAgent } from "./targets/module/define-agent.js";
export type { AgentAnswer, AgentContext, AgentRun, AgentToolOutcome } from "./targets/module/define-agent.js";
export {
  defineTool,
  defineTools,
  type DefinedTool,
  type ParamsTool,
  type SchemaTool,
  type ToolContext,
  type WrittenAttributes,
} from "./tools/module/define-tool.js";
export { ToolRegistry, type ClassicTool } from "./tools/module/tool-registry.js";
export type { ArgsOf, ParamDefinition, ParamDefinitions } from "./tools/param-definition.js";
export type { ToolEvent } from "./transcript/tool-event.js";
export { matchValue } from "./matchers/parse-matcher.js";
export type { MatchResult, Mismatch } from "./matchers/matcher.js";

export { retryPresetNames, retryPresets, type RetryPolicy, type RetryPreset } from "./resilience/retry-policy.js";

export {
  defineReporter,
  type ErrorTexts,
  type RenderOptions,
  type RenderRun,
  type RenderCase,
  type ReporterDefinition,
  type ReporterExtension,
} from "./reporters/define-reporter.js";
export { formats } from "./reporters/registry.js";
export { readDecisiveTrial } from "./reporters/read-decisive-trial.js";
export { renderToString } from "./reporters/render-to-string.js";
export { withoutVolatileFields } from "./reporters/json/without-volatile-fields.js";
export { volatileReportFields } from "./generated/volatile-report-fields.js";
export { runResultJsonSchema } from "./reporters/json/report-shape.js";

export { createRedactor, type RedactedText, type Redactor, type TextFormat } from "./redaction/redactor.js";
export type { Clock } from "./values/clock.js";
export { createSystemClock } from "./values/clock.js";
export type { SimulatedUserTotals, SuiteTotals } from "./summary/run-totals.js";
export type { RoutingTable } from "./summary/routing-table.js";
export type { ArmChange, ArmComparison, ArmDifference } from "./summary/arm-comparison.js";
export type { ModelComparison, VariantCell, VariantSummary } from "./engine/summary/compare-models.js";
export type { VariantDifference } from "./engine/summary/variant-difference.js";
export type { ConversationEnd, SimulatedUserRecord, SpokenMessage } from "./transcript/simulated-user.js";
export type { QuarantinedTest } from "./reporters/flaky-tests.js";
export type { CaseCounts } from "./statistics/case-counts.js";
export type { UsedFallback } from "./transcript/used-fallback.js";
