export { percent, points } from "@kindlm/core/program";
