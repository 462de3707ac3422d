// The conversation of the panel, as a component sees it.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Talk, type TalkView } from './talk.ts';

export function useChat(): { talk: Talk; view: TalkView } {
  const client = useQueryClient();
  const [talk] = useState(
    () => new Talk(() => void client.invalidateQueries({ queryKey: ['listConversations'] })),
  );
  const view = useSyncExternalStore(talk.subscribe, talk.view);
  useEffect(() => {
    void talk.resume();
  }, [talk]);
  return { talk, view };
}
