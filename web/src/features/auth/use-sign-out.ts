// Ends the session. The page is loaded anew, so nothing that was read with it stays in memory.
import { useMutation } from '@tanstack/react-query';
import { type ApiError, call } from '../../api/client.ts';

export function useSignOut() {
  return useMutation<unknown, ApiError, object>({
    mutationFn: () => call('logout', {}),
    onSuccess: () => window.location.assign('/sign-in'),
  });
}
