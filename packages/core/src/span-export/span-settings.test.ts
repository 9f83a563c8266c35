import { expect, it } from "vitest";
import { spanSettingsOf } from "./span-settings.js";

const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";

it.each([
  [{}, undefined, null],
  [{ [endpoint]: "http://c:4318" }, undefined, "http://c:4318/v1/traces"],
  [{ [endpoint]: "http://c:4318/base/" }, undefined, "http://c:4318/base/v1/traces"],
  [{ [endpoint]: "http://c", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t/x" }, undefined, "http://t/x"],
  [{ [endpoint]: "http://c" }, "https://other/v1/traces", "https://other/v1/traces"],
  [{ [endpoint]: "http://c" }, "off", null],
  [{ [endpoint]: "http://c", OTEL_SDK_DISABLED: "true" }, undefined, null],
  [{ [endpoint]: "http://c", OTEL_TRACES_EXPORTER: "none" }, undefined, null],
])("%j with %s sends to %s", (env, wanted, url) => {
  const settings = spanSettingsOf(env, wanted);
  expect(settings.success && (settings.data?.url ?? null)).toBe(url);
});

it("reads what exporters read", () => {
  expect(
    spanSettingsOf({
      [endpoint]: "http://c",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20gr%C3%B6n, x-tenant = a=b,broken",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_TIMEOUT: "500",
      OTEL_RESOURCE_ATTRIBUTES: "team=shop,service.name=x",
      OTEL_SERVICE_NAME: "tests",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "span_only",
    }),
  ).toEqual({
    success: true,
    data: {
      url: "http://c/v1/traces",
      headers: { authorization: "Bearer grön", "x-tenant": "a=b" },
      protocol: "http/json",
      isCompressed: true,
      timeoutMs: 500,
      hasContent: true,
      resource: { team: "shop", "service.name": "tests" },
    },
  });
});

it.each([
  [{ [endpoint]: "collector:4318" }, "OTEL_EXPORTER_OTLP_ENDPOINT is not an HTTP address: collector:4318"],
  [{ [endpoint]: "http://c", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL is grpc"],
])("says what is wrong with %j", (env, message) => {
  expect(spanSettingsOf(env)).toEqual({ success: false, error: expect.stringContaining(message) });
});
