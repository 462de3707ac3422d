// Ends the session. The page is loaded anew, so nothing that was read with it stays in memory.
import { useMutation } from '@tanstack/react-query';
import { type ApiError, call } from '../../../api/client.ts';
import { withBase } from '../../../lib/base-path.ts';
import { writePreference } from '../../../lib/preferences.ts';

export function useSignOut() {
  return useMutation<{ end_session_url?: string }, ApiError, object>({
    mutationFn: () => call('logout', {}),
    onSuccess: ({ end_session_url }) => {
      writePreference('signed-in', 'no');
      window.location.assign(end_session_url ?? withBase('/sign-in'));
    },
  });
}
