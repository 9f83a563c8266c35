export { describeKindlm, type DescribeOptions, type KindlmMeta } from "./describe-kindlm.js";
export { CaseErroredError, CaseFailedError, GateFailedError } from "./case-errors.js";
export { toPassAssertion, type KindlmMatchers } from "./to-pass-assertion.js";
