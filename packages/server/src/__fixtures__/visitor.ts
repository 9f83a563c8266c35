import { createId } from "../auth/secrets.js";
import type { Role } from "../auth/roles.js";
import { signIn } from "../auth/sign-in.js";
import type { TestServer } from "./test-server.js";

const testOrigin = "http://127.0.0.1:4310";

/** What a browser got. */
export interface Shown {
  status: number;
  headers: Headers;
  html: string;
  /** Where it is sent next; null if it stays. */
  to: string | null;
}

interface Asked {
  method?: string;
  body?: string;
  headers: Record<string, string>;
}

/** A browser with its cookies, which sends the forms of the page that it saw last. */
export class Visitor {
  readonly #server: TestServer;
  readonly cookies = new Map<string, string>();
  /** Of the last page. */
  csrf = "";

  constructor(server: TestServer) {
    this.#server = server;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Shown> {
    return this.#ask(path, { headers });
  }

  /** Sends a form, with the token of the last page and the header `Origin`, unless `headers` says otherwise. */
  post(path: string, fields: Record<string, string | string[]>, headers: Record<string, string> = {}): Promise<Shown> {
    const body = new URLSearchParams({ csrf: this.csrf });
    for (const [name, value] of Object.entries(fields)) {
      body.delete(name);
      for (const one of [value].flat()) body.append(name, one);
    }
    const own = { "content-type": "application/x-www-form-urlencoded", origin: testOrigin };
    return this.#ask(path, { method: "POST", body: body.toString(), headers: { ...own, ...headers } });
  }

  async #ask(path: string, { headers, ...init }: Asked): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const address = path.startsWith("http") ? path : `${testOrigin}${path}`;
    const response = await this.#server.app.request(address, { ...init, headers: { cookie, ...headers } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/Max-Age=0\b/.test(set)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const html = await response.text();
    this.csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? this.csrf;
    return { status: response.status, headers: response.headers, html, to: response.headers.get("location") };
  }
}

/** A person of the organization who is signed in. */
export async function signedIn(server: TestServer, role: Role): Promise<Visitor & { email: string; userId: string }> {
  const { database } = server.opened;
  const [userId, orgId, created_ms] = [createId("usr"), server.orgId, server.clock.now];
  const email = `${role}.${userId.toLowerCase()}@example.com`;
  await database.insertInto("users").values({ id: userId, email, password: "", created_ms }).execute();
  await database.insertInto("memberships").values({ org_id: orgId, user_id: userId, role }).execute();
  const visitor = new Visitor(server);
  visitor.cookies.set("kindlm", await signIn(database, { orgId, userId, nowMs: server.clock.now }));
  return Object.assign(visitor, { email, userId });
}
