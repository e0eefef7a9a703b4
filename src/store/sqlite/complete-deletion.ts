// Completes a deletion in the one order that leaves no byte behind: look, bring the log into the file, find what erasing
// left there, then wipe it, look once more and complete. Between the parts other writes go on.

import type { Deletion } from "../../domain/deletion.ts";
import { StoreError } from "../store-error.ts";
import type { CompletionArgs } from "./completion.ts";
import type { SharedDescriptor } from "./descriptor.ts";
import type { OperationResult, PerformOperation } from "./operation.ts";

/** Undefined if anything was left, and the plan is longer now. Throws StoreError if it has to wait for somebody. */
export async function completeDeletion(
  perform: PerformOperation,
  file: SharedDescriptor,
  args: CompletionArgs,
): Promise<Deletion | undefined> {
  let look = await perform("verifyErasure", args);
  if (look.result === "clean") {
    const descriptor = file.get();
    const pages = await findAllResidue(perform, descriptor);
    const last = await perform("completeDeletion", { ...args, descriptor, pages });
    if (!("result" in last)) return last;
    look = last;
  }
  if (look.result === "held") {
    throw new StoreError(`Something related arrived meanwhile that waits for ${look.waitingFor}.`);
  }
  return undefined;
}

/** Looks at the file part by part, after everything that was erased is erased there too. */
async function findAllResidue(
  perform: PerformOperation,
  descriptor: number,
): Promise<readonly number[]> {
  await perform("emptyLog", undefined);
  const found: number[] = [];
  let firstPage: number | undefined = 1;
  while (firstPage !== undefined) {
    const part: OperationResult<"findResidue"> = await perform("findResidue", {
      descriptor,
      firstPage,
    });
    found.push(...part.pages);
    firstPage = part.nextPage;
  }
  return found;
}
