// The documents that a run is uploaded as, for the client and for the server that keeps the results.

export {
  caseDocumentSchema,
  type CaseDocument,
  type RanCaseDocument,
  type TrialDocument,
} from "./upload/case-document.js";
export {
  runDocumentSchema,
  type GateDocument,
  type RunDocument,
  type SummaryDocument,
  type UploadDocument,
  type UploadInclude,
} from "./upload/run-document.js";
export { mostInflatedBytes, mostPartCases, mostParts, mostSentBytes, uploadFormat } from "./upload/upload-limits.js";
export { describeCases, describeRun, type UploadedRun, type UploadSettings } from "./upload/describe-run.js";
export { mergeUploads, type MergeRefusal } from "./upload/merge-uploads.js";
export { restoreRun } from "./upload/restore-run.js";
export { restoreTrials } from "./upload/restore-trial.js";
export { readUpload } from "./upload/read-upload.js";
export { wilsonInterval } from "./statistics/wilson.js";
