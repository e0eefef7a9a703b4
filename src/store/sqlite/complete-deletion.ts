// Completes a deletion in the one order that leaves no byte behind: look, bring the log into the file, find what erasing
// left there, then wipe it, look once more and complete. Between the parts other writes go on.

import type { Deletion } from "../../domain/deletion.ts";
import { StoreError } from "../store-error.ts";
import type { SealedReceipt } from "../store.ts";
import type { CompletionArgs } from "./completion.ts";
import type { SharedDescriptor } from "./descriptor.ts";
import type { OperationResult, PerformOperation } from "./operation.ts";

export interface Completing {
  readonly perform: PerformOperation;
  readonly file: SharedDescriptor;
  /** Signs the receipt of the deletion as it now is, tied to the end of the chain as it now is. */
  readonly seal: (args: CompletionArgs) => SealedReceipt | undefined;
}

/** Undefined if it has to be tried again: anything was left, and the plan is longer now, or the chain of receipts moved. */
export async function completeDeletion(
  { perform, file, seal }: Completing,
  args: CompletionArgs,
): Promise<Deletion | undefined> {
  let look = await perform("verifyErasure", args);
  if (look.result === "clean") {
    const descriptor = file.get();
    const pages = await findAllResidue(perform, descriptor);
    const sealed = seal(args);
    const last = await perform("completeDeletion", { ...args, sealed, descriptor, pages });
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
