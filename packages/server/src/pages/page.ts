import type { Child } from "hono/jsx";
import type * as z from "zod";
import { invalid } from "../api/api-error.js";
import type { LimitKind } from "../api/rate-limits.js";
import { nobody, type ApiWorld } from "../api/route.js";
import type { Person } from "../auth/sign-in.js";
import type { Caller, Scope } from "../auth/tokens.js";
import type { ProjectRow } from "../database/tables.js";

/** Text fields, and lists for fields whose names end in `[]`. */
export type Form = Readonly<Record<string, string | readonly string[]>>;

/** A request of a browser whose person, role and project were checked. */
export interface PageCall {
  world: ApiWorld;
  /** Null on pages for anyone, if nobody is signed in. */
  person: Person | null;
  /** What the person may do. */
  caller: Caller;
  /** Null unless the path has a project. */
  project: ProjectRow | null;
  /** That of the address, without its query. */
  path: string;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** The token that each form sends back: see `PostForm`. */
  csrf: string;
  /** What is wrong with the form that was sent; null if none was. */
  problem: string | null;
  /** What was sent. */
  sent: Form;
}

/** What a page shows. */
export interface View {
  /** Its heading. */
  title: string;
  body: Child;
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Names of further assets, such as `viewer.js` and `viewer.css`. */
  assets?: readonly string[];
  /** True for a page that is a small form in the middle. */
  isNarrow?: boolean;
}

/** What the script of a page reads. */
export interface Data {
  json: string;
}

/** Where the browser goes next, with a cookie that signs in or out. */
export interface Redirect {
  to: string;
  /** The secret of a person who signed in; null for one who signed out. */
  signIn?: string | null;
}

export interface Page {
  /** With names in braces: `/p/{project}/settings`. */
  path: string;
  /** What the role must allow; `any` for every person, null for anyone. */
  needs: Scope | "any" | null;
  /** The name of its tab, or of its place in the navigation if the path has no project. */
  tab?: string;
  render(call: PageCall): Promise<View | Redirect | Data>;
}

/** Declares a page. List it in `registry.ts`. */
export const definePage = (page: Page): Page => page;

interface ActionSettings<T> {
  path: string;
  needs: Scope | "any" | null;
  limit: LimitKind;
  /** The page of the form. It is shown again if the form is refused. */
  page: Page;
  form: z.ZodType<T>;
  act(call: PageCall, form: T): Promise<View | Redirect>;
}

/** What a form of a page does. */
export interface Action extends Omit<ActionSettings<never>, "form" | "act"> {
  /** Throws an ApiError if the form is refused. */
  answer(call: PageCall): Promise<View | Redirect>;
}

/** Declares what a form does. Its schema checks what was sent. */
export function defineAction<T>({ form, act, ...settings }: ActionSettings<T>): Action {
  return {
    ...settings,
    async answer(call) {
      return act(call, checkForm(form, call.sent));
    },
  };
}

function checkForm<T>(schema: z.ZodType<T>, sent: Form): T {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues[0]?.message ?? "The form is not valid");
}

export const callerOf = (person: Person | null): Caller => person?.caller ?? nobody;
