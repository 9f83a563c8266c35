import { closedPort, plainServer, silentServer, unknownHost, untrustedServer } from "./raw-servers.js";
import { backoff, type Row, type Step } from "./row.js";
import { after, callsTool, halfway, hangsUp, raw, resets, unavailable, well, wellBody } from "./steps.js";

const network = { code: "PROVIDER_NETWORK_ERROR", requests: 3, waits: backoff } as const;
const failed = "Failed to connect to OpenAI:";
const chunked = (): Record<string, string> => ({});

/** Something before the reply itself. */
const informs =
  (bytes: string, then: Step): Step =>
  (scene) => {
    scene.response.socket?.write(bytes);
    return then(scene);
  };
/** Answers, and closes the connection that it had promised to keep. */
const callsToolAndCloses: Step = (scene) => {
  const { socket } = scene.response;
  scene.response.on("finish", () => void scene.clock.sleep(200).then(() => socket?.end()));
  return callsTool(scene);
};
const tooMuch = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Padding: ${"x".repeat(70_000)}\r\n\r\n`;

/** What happens to a connection. */
export const connectionRows: readonly Row[] = [
  {
    ...network,
    name: "a host that does not exist",
    server: unknownHost,
    message: /^Failed to connect to OpenAI: getaddrinfo (ENOTFOUND|EAI_AGAIN) provider\.invalid$/,
    requests: 0,
    attempts: 3,
  },
  {
    ...network,
    name: "a port on which nothing listens",
    server: closedPort,
    message: /^Failed to connect to OpenAI: connect ECONNREFUSED 127\.0\.0\.1:\d+$/,
    requests: 0,
    attempts: 3,
  },
  {
    name: "connected, and not a byte",
    server: silentServer("http"),
    code: "PROVIDER_TIMEOUT",
    message: "OpenAI request timed out after 60000ms",
    requests: 3,
    waits: backoff,
    spentMs: 180_000,
  },
  {
    name: "connected, and not a byte of TLS",
    server: silentServer("https"),
    code: "PROVIDER_TIMEOUT",
    message: "OpenAI request timed out after 10000ms without a connection",
    requests: 0,
    attempts: 3,
    waits: backoff,
    spentMs: 30_000,
  },
  {
    ...network,
    name: "TLS to a port that speaks plainly",
    server: plainServer,
    message: `${failed} TLS: wrong version number`,
    requests: 0,
    attempts: 3,
  },
  {
    ...network,
    name: "plain to a port that speaks TLS",
    server: untrustedServer("http"),
    message: /^Failed to connect to OpenAI: (other side closed|read ECONNRESET)$/,
    requests: 0,
    attempts: 3,
  },
  {
    ...network,
    name: "a certificate that nobody vouches for",
    server: untrustedServer("https"),
    message: /^Failed to connect to OpenAI: self.signed certificate/,
    requests: 0,
    attempts: 1,
    waits: [],
  },
  { ...network, name: "a reset before the headers", server: [resets], message: `${failed} read ECONNRESET` },
  { ...network, name: "an end before the headers", server: [hangsUp], message: `${failed} other side closed` },
  {
    ...network,
    name: "an end in the middle of the headers",
    server: [raw("HTTP/1.1 200 OK\r\nContent-")],
    message: `${failed} other side closed`,
  },
  {
    ...network,
    name: "a reset in the middle of the body",
    server: [halfway(resets)],
    // Which of the two depends on whether the bytes before it have been read.
    message: /^OpenAI broke off its answer: (read ECONNRESET|other side closed)$/,
  },
  {
    ...network,
    name: "an end in the middle of a body of known length",
    server: [halfway(hangsUp)],
    message: "OpenAI broke off its answer: other side closed",
  },
  {
    ...network,
    name: "an end in the middle of a body in chunks",
    server: [halfway(hangsUp, chunked)],
    message: "OpenAI broke off its answer: other side closed",
  },
  { ...network, name: "no HTTP at all", server: [raw("SSH-2.0-OpenSSH_9.9\r\n")], message: new RegExp(`^${failed} `) },
  { ...network, name: "headers without end", server: [raw(tooMuch)], message: `${failed} Headers Overflow Error` },
  {
    name: "a reset, and well on the second connection",
    server: [resets, well],
    code: "passed",
    requests: 2,
    waits: backoff.slice(0, 1),
  },
  {
    name: "closed between two requests",
    server: [callsToolAndCloses, well],
    code: "passed",
    requests: 2,
    spentMs: 2_000,
  },
  {
    name: "a kept connection is reset by the second request",
    server: [callsTool, resets, well],
    code: "passed",
    requests: 3,
    waits: backoff.slice(0, 1),
    spentMs: 2_000,
  },
  {
    name: "103 before the answer",
    server: [informs("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", well)],
    code: "passed",
    requests: 1,
  },
  {
    name: "several 102 before an answer that takes its time",
    server: [informs("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n", after(40_000, well))],
    code: "passed",
    requests: 1,
    spentMs: 40_000,
  },
  {
    name: "103 before a failure",
    server: [informs("HTTP/1.1 103 Early Hints\r\n\r\n", unavailable), well],
    code: "passed",
    requests: 2,
    waits: backoff.slice(0, 1),
  },
  {
    name: "bytes after the end of the answer",
    server: [
      raw(
        `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(wellBody({ shape: "openai" }))}\r\n\r\n${wellBody({ shape: "openai" })}and more`,
      ),
    ],
    code: "passed",
    requests: 1,
  },
];
