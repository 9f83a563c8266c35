/** One file of cassettes, for people and programs. */
export interface CassetteListing {
  /** Relative to the folder that contains `.kindlm`. */
  file: string;
  suite: string;
  test: string;
  cases: number;
  trials: number;
  /** Exchanges with models and services. */
  exchanges: number;
  toolCalls: number;
  bytes: number;
  /** Such as `openai:gpt-4.1`. */
  models: readonly string[];
  /** Why it cannot be read; null when it can. */
  problem: string | null;
}

/** What a check found in one file; nothing in one that is sound. */
export interface CassetteCheck {
  file: string;
  problems: readonly { line: number; message: string }[];
}

/** What a pruning takes out of one file. */
export interface PrunedCassette {
  file: string;
  /** Whether the whole file goes. */
  isRemoved: boolean;
  /** Whole cases, by their ids. */
  cases: readonly string[];
  /** Single trials of cases that stay. */
  trials: readonly { case: string; trial: number }[];
  entries: number;
}
