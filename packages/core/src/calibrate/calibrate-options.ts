import type { ProjectPlace } from "../config/locate-root.js";
import type { CassetteMode } from "../config/cassette-mode.js";
import type { TranscriptStream } from "../score/transcript-source.js";

export interface CalibrateOptions extends ProjectPlace {
  /** Files of labels, and streams. Relative to `environment.cwd`. */
  labels: readonly (string | TranscriptStream)[];
  /** `suite/test`, or the name of the test alone: its judge assertion is calibrated. */
  test?: string;
  /** Which of several judge assertions of the test: its `id`. */
  assertion?: string;
  /** In place of what the assertion says: an id of models, or provider:model. */
  model?: string;
  criteria?: string;
  threshold?: number;
  samples?: number;
  /** What counts as good enough: a share of labels, and Cohen's kappa. */
  minAgreement?: number;
  minKappa?: number;
  cassette?: CassetteMode;
  concurrency?: number;
  maxCostUsd?: number;
  ci?: boolean;
}
