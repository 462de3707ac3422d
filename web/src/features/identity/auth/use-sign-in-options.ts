// Ways to sign in, as the server's settings say.
import { useOperation } from '../../../api/use-operation.ts';

export function useSignInOptions() {
  return useOperation('getSignInOptions', {}, { staleMs: 60_000 });
}
