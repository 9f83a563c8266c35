import type { RunDocument } from "@kindlm/core/upload";
import type { ColumnType, Generated, Kysely } from "kysely";

/** Sent as text, read as what it holds. */
type Json<T> = ColumnType<T, string, string>;
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;

interface Owned {
  org_id: string;
}

interface OfProject extends Owned {
  project_id: string;
}

interface OfCase extends Owned {
  day: number;
  run_id: number;
  case_key: number;
}

export interface RunRow extends OfProject {
  id: Generated<number>;
  run: string;
  digest: string;
  state: "uploading" | "complete";
  day: number;
  started_ms: number;
  uploaded_ms: number;
  branch: string | null;
  commit: string | null;
  verdict: "passed" | "failed";
  config_hash: string;
  seed: number;
  ci_attempt: string | null;
  shard_index: number | null;
  shard_of: number | null;
  superseded_by: number | null;
  note: string | null;
  cases: number;
  passed: number;
  failed: number;
  errored: number;
  skipped: number;
  pass_rate: number | null;
  cost_usd: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
  document: Json<RunDocument>;
}

export interface TokenRow extends Owned {
  id: string;
  user_id: string | null;
  name: string;
  hash: string;
  /** Words with spaces. */
  scopes: string;
  /** IDs with spaces; null for all projects. */
  projects: string | null;
  created_ms: number;
  expires_ms: number;
  used_ms: number | null;
  revoked_ms: number | null;
  /** Of a token that an ID token was exchanged for. */
  trust_id: string | null;
}

/** A repository whose GitHub Actions may upload to a project. */
interface TrustRow extends OfProject {
  id: string;
  repository_id: string;
  ref: string | null;
  environment: string | null;
  created_ms: number;
}

export interface ProjectRow extends Owned {
  id: string;
  name: string;
  /** What uploads may include beyond measurements, words with spaces. */
  accepts: string;
  transcript_days: number;
  case_days: number;
  run_days: number;
  badge_key: string | null;
  created_ms: number;
}

/** The tables of the server. Times are milliseconds since the epoch; days are counted from it. */
export interface Tables {
  schema_version: { version: number };
  orgs: { id: string; name: string; plan: string | null; created_ms: number };
  users: { id: string; email: string; password: string; created_ms: number };
  memberships: Owned & { user_id: string; role: string };
  projects: ProjectRow;
  tokens: TokenRow;
  trusts: TrustRow;
  oidc_uses: Owned & { hash: string; expires_ms: number };
  device_codes: {
    hash: string;
    user_code: string;
    org_id: string | null;
    user_id: string | null;
    state: "pending" | "approved" | "denied" | "used";
    expires_ms: number;
  };
  /** People who are signed in, by the hash of their cookie. */
  sessions: Owned & { hash: string; user_id: string; expires_ms: number };
  invitations: Owned & { id: string; hash: string; email: string; role: string; expires_ms: number };
  setup_links: { hash: string; expires_ms: number; used_ms: number | null };
  runs: RunRow;
  parts: Owned & { run_id: number; number: number; digest: string; cases: number; body: Bytes };
  cases: OfProject & { key: Generated<number>; case_id: string; suite: string; name: string; model: string };
  suite_results: OfProject & {
    run_id: number;
    suite: string;
    started_ms: number;
    branch: string | null;
    passed: number;
    total: number;
    counted: number;
    pass_rate: number | null;
    cost_usd: number | null;
    p50_ms: number | null;
  };
  case_results: OfCase & {
    project_id: string;
    started_ms: number;
    status: "passed" | "failed" | "errored" | "skipped";
    passes: number;
    counted: number;
    mixed: boolean;
    latency_ms: number | null;
    cost_usd: number | null;
    error_code: string | null;
    agent_hash: string | null;
    check_hash: string | null;
  };
  /** Blocks of cases: `cases` of them from `place` on, counted from 1. */
  trials: Owned & { day: number; run_id: number; place: number; cases: number; document: Bytes };
  transcripts: OfCase & { document: Bytes };
  /** Complete runs that are not in the daily sums yet. */
  uncounted_runs: OfProject & { run_id: number; day: number };
  case_days: OfProject & {
    case_key: number;
    day: number;
    agent_hash: string;
    check_hash: string;
    runs: number;
    passed: number;
    failed: number;
    errored: number;
    mixed: number;
    passes: number;
    counted: number;
  };
  baselines: OfProject & {
    id: Generated<number>;
    suite: string;
    run: string | null;
    set_ms: number;
    document: Json<unknown>;
  };
  webhooks: OfProject & { id: string; url: string; secret: string; events: string; created_ms: number };
  deliveries: Owned & {
    id: Generated<number>;
    webhook_id: string;
    event: string;
    /** The same for all tries. */
    message_id: string;
    body: string;
    created_ms: number;
    tries: number;
    /** Null once there is no further try. */
    next_ms: number | null;
    /** What the receiver answered last. */
    status: number | null;
    /** Why the last try failed. */
    problem: string | null;
  };
  audit_log: Owned & { id: Generated<number>; at_ms: number; actor: string; action: string; subject: string };
}

export type Database = Kysely<Tables>;
