// What the results server shows of a run in the same words as the HTML report. The program of the server contains it.

export { findAll } from "./findings/find-all.js";
export { createIndex } from "./reporters/html/report-index.js";
export { describeTrial } from "./reporters/html/report-trial.js";
