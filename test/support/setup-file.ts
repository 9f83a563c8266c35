import { cleanUpAfterFile } from "./clean-up.js";

cleanUpAfterFile();
