/** Details of a request or a call that a replay has no recording of. */
export interface CassetteMissDetails {
  /** Nothing was sent. */
  sent: false;
  /** The file of the test, from the folder of the config. */
  file?: string;
  /** The recording that comes nearest, such as `turn 1 of trial 1`; absent where there is none like it. */
  nearest?: string;
  /** The first place where the two differ, such as `messages[0].content`. */
  differsAt?: string;
  /** What the recording has there, shortened. */
  recorded?: string;
  /** What was asked for now, shortened. */
  asked?: string;
}
