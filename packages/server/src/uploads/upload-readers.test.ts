import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { UploadReaders, uploadReaders } from "./upload-readers.js";

const sent = (text: string) => ({
  bytes: gzipSync(text),
  encoding: "gzip",
  isForm: false,
});

it("reads more uploads than there are threads, and answers each with its own", async () => {
  const runs = Array.from({ length: 20 }, (_, index) => `run-${index}`);
  const read = await Promise.all(
    runs.map((run, index) =>
      index % 5 === 4
        ? uploadReaders.read("run", sent("{")).then(
            () => "read",
            (error: unknown) => String(error),
          )
        : uploadReaders.read("run", sent(JSON.stringify(sampleUpload({ run })))).then((one) => one.run.run),
    ),
  );
  expect(read).toEqual(runs.map((run, index) => (index % 5 === 4 ? "Error: The body is not valid JSON" : run)));
});

it("waits for no thread that has ended, whether it was asked something or not", async () => {
  const readers = new UploadReaders(new URL("data:text/javascript,process.exit()"));
  readers.prepare();
  const asked = Array.from({ length: 3 }, () =>
    readers.read("run", sent("{}")).then(
      () => "read",
      (error: unknown) => String(error),
    ),
  );
  expect(new Set(await Promise.all(asked))).toEqual(new Set(["Error: The thread that reads uploads has ended"]));
});
