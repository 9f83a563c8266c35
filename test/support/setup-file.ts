import { bareEnvironment } from "./bare-environment.js";
import { calibrateWorker } from "./calibration.js";
import { measureCpuTime } from "./cpu-time.js";
import { keepWorkersSmall } from "./small-workers.js";
import { cleanUpAfterFile } from "../../packages/core/src/__fixtures__/clean-up.js";

// Runs again for every test file, while the modules that it imports are loaded once.
bareEnvironment();
keepWorkersSmall();
measureCpuTime();
calibrateWorker();
cleanUpAfterFile();
