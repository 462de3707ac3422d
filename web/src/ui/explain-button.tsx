// "Explain this": asks the chat about one thing of a page, with what the page knows of it. Guards: nothing stands here for who may not
// chat; what is sent fits what the server takes, however long a text of a monitored server is.
import { ActionIcon } from '@mantine/core';
import { type AboutQuestion, useAskAbout } from './ask-about.ts';
import { fitted } from './explain-fit.ts';
import { AiIcon } from './icons.ts';

export interface ExplainButtonProps {
  /** What is explained, in a few words: "Explain: Commits". */
  what: string;
  /** Made when it is pressed, of what is shown then. */
  question: () => AboutQuestion;
}

export function ExplainButton({ what, question }: ExplainButtonProps) {
  const ask = useAskAbout();
  if (!ask) return null;
  const press = () => {
    const made = question();
    ask({ ...made, about: fitted(made.about) });
  };
  return (
    <ActionIcon
      variant="subtle"
      size={24}
      aria-label={`Explain: ${what}`}
      title="Explain this in the chat"
      onClick={press}
    >
      <AiIcon size={16} />
    </ActionIcon>
  );
}
