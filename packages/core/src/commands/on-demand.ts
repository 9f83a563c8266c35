import type { calibrateJudge as calibrate } from "./calibrate-judge.js";
import type { runDoctor as examine } from "./run-doctor.js";
import type { mergeRuns as merge } from "./merge-runs.js";
import type { rehearseChaos as chaos } from "./rehearse-chaos.js";
import type { rehearseVacuity as vacuity } from "./rehearse-vacuity.js";
import type { rescoreRun as rescore } from "./rescore-run.js";
import type { scoreTranscripts as score } from "./score-transcripts.js";

// What `kindlm test` does not need is loaded when it is called, since start-up is what a person waits for.

/** Evaluates assertions on conversations that were recorded elsewhere; see `kindlm score`. */
export const scoreTranscripts: typeof score = async (...given) =>
  (await import("./score-transcripts.js")).scoreTranscripts(...given);

/** Evaluates assertions again on the conversations of a run; see `kindlm rescore`. */
export const rescoreRun: typeof rescore = async (...given) => (await import("./rescore-run.js")).rescoreRun(...given);

/** Measures a judge against the labels of people; see `kindlm judge calibrate`. */
export const calibrateJudge: typeof calibrate = async (...given) =>
  (await import("./calibrate-judge.js")).calibrateJudge(...given);

/** Tells which tests an agent passes that does nothing; see `kindlm test --vacuity`. */
export const rehearseVacuity: typeof vacuity = async (...given) =>
  (await import("./rehearse-vacuity.js")).rehearseVacuity(...given);

/** Tells how a run would fare when providers fail; see `kindlm doctor --chaos`. */
export const rehearseChaos: typeof chaos = async (...given) =>
  (await import("./rehearse-chaos.js")).rehearseChaos(...given);

/** Joins the shards of a run; see `kindlm merge`. */
export const mergeRuns: typeof merge = async (...given) => (await import("./merge-runs.js")).mergeRuns(...given);

/** Checks keys, servers, models and prices; see `kindlm doctor`. */
export const runDoctor: typeof examine = async (...given) => (await import("./run-doctor.js")).runDoctor(...given);
