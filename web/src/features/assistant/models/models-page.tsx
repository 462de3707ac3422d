// Language models: which are configured and whether they answer, what they have taken, and what would leave for them.
import { PageHeader } from '../../../ui/page-header.tsx';
import classes from './models.module.css';
import { ModelsPanel } from './models-panel.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { UsePanel } from './use-panel.tsx';

export function ModelsPage() {
  return (
    <>
      <PageHeader
        title="Language models"
        facts="Who writes overviews, explanations and answers of the chat"
      />
      <div className={classes.panels}>
        <ModelsPanel />
        <UsePanel />
        <PreviewPanel />
      </div>
    </>
  );
}
