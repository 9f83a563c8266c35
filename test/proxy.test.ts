import { createServer, request as httpRequest } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "./support/matrix/self-signed.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import { runProcess } from "./support/start-cli.js";
import { refusedUrl, sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";

/** A forward proxy that passes everything on, by address or through a tunnel. */
async function startProxy(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const target = httpRequest(incoming.url ?? "", { method: incoming.method, headers: incoming.headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(response);
    });
    incoming.pipe(target);
  });
  proxy.on("connect", (incoming, socket, head) => {
    asked.push(`CONNECT ${incoming.url}`);
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
    for (const end of [socket, target]) end.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

const configOf = (baseUrl: string): string => `version: 1
providers: { local: { type: openai, base_url: "${baseUrl}" } }
models: [{ id: m, provider: local, model: x }]
retry: disabled
suites: [{ name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }]
`;

async function run(env: (server: string, proxy: string) => Record<string, string>) {
  const server = await startServer((_request, response) => sendJson(response, 200, chatCompletion({ text: "hello" })));
  onTestFinished(() => server.close());
  const proxy = await startProxy();
  const cwd = makeProject({ "kindlm.yaml": configOf(server.url) });
  const ran = await runCli(["test"], { cwd, env: env(server.url, proxy.url) });
  return { ran, asked: proxy.asked, requests: server.requests.length, host: new URL(server.url).host };
}

describe("a proxy", () => {
  it.each(["HTTP_PROXY", "http_proxy", "ALL_PROXY"])("that %s names is gone through", async (name) => {
    const { ran, asked, requests, host } = await run((_server, proxy) => ({ [name]: proxy }));
    expect(ran.code).toBe(0);
    expect(requests).toBe(1);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(host);
  });

  it("that HTTPS_PROXY names is tunnelled through, so that it reads nothing", async () => {
    const server = createTlsServer(selfSigned, (_incoming, response) => {
      sendJson(response, 200, chatCompletion({ text: "hello" }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy = await startProxy();
    const cwd = makeProject({ "kindlm.yaml": configOf(`https://${host}`), "ca.pem": selfSigned.cert });
    const trusting = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: join(cwd, "ca.pem") };
    // Node reads the certificates when a process starts.
    expect(await runProcess(["test"], { cwd, env: trusting })).toMatchObject({ code: 0 });
    expect(proxy.asked).toEqual([`CONNECT ${host}`]);
    const doubting = await runCli(["test"], { cwd });
    expect(doubting.stdout).toContain("Set NODE_EXTRA_CA_CERTS to a file that contains the certificate of its issuer");
  });

  it("is passed by for the hosts of NO_PROXY, and where there is none", async () => {
    for (const noProxy of ["127.0.0.1", "*"]) {
      const { ran, asked } = await run((_server, proxy) => ({ HTTP_PROXY: proxy, NO_PROXY: noProxy }));
      expect(ran.code).toBe(0);
      expect(asked).toEqual([]);
    }
    expect((await run(() => ({}))).asked).toEqual([]);
  });

  it("that is not there, or is none, is a network error that shows no password", async () => {
    const gone = new URL(await refusedUrl());
    for (const proxy of [`http://user:s3cret-pass@${gone.host}`, "http://%%%:s3cret-pass"]) {
      const { ran, requests } = await run(() => ({ HTTP_PROXY: proxy }));
      expect(ran.code).toBe(1);
      expect(requests).toBe(0);
      expect(ran.stdout).toContain("Failed to connect to local");
      expect(ran.stdout + ran.stderr).not.toContain("s3cret-pass");
    }
  });
});
