import { expect, it, onTestFinished } from "vitest";
import { sendJson, startServer } from "../../__fixtures__/start-server.js";
import { createUndiciTransport } from "../../providers/http/undici-transport.js";
import { createSystemClock } from "../../values/clock.js";
import { ServerConnection } from "./call-server.js";

it("keeps the token out of errors, and says where to get another one", async () => {
  const token = "token-that-nobody-sees";
  const server = await startServer(({ headers }, response) => {
    const message = `No such token: ${headers.authorization}`;
    sendJson(response, 401, { error: "CLOUD_AUTH_ERROR", message, details: { token } });
  });
  onTestFinished(() => server.close());
  const clock = createSystemClock();
  const http = createUndiciTransport(clock);
  onTestFinished(() => http.close());
  const settings = { address: server.url, token, tokenHint: "Log in", isBounded: false };
  const connection = new ServerConnection(settings, { http, clock, signal: new AbortController().signal });
  const answered = await connection.call({ method: "GET", path: "/me" });
  expect(answered).toMatchObject({
    error: {
      code: "CLOUD_AUTH_ERROR",
      message: "No such token: Bearer [redacted]",
      details: { status: 401, error: "CLOUD_AUTH_ERROR", hint: "Log in", attempts: 1, server: server.url },
    },
  });
  expect(JSON.stringify(answered)).not.toContain(token);
});
