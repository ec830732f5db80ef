// Runs in the Swagger UI page: shows a lock only on operations that require a token, not on those that accept one.
window.docsPlugins.push(({ React }) => ({
  wrapComponents: {
    OperationSummary: (Summary) => (props) => {
      const { operationProps } = props
      const isPublic = operationProps.get('security')?.some((scheme) => scheme.isEmpty())
      const shown = isPublic ? operationProps.delete('security') : operationProps
      return React.createElement(Summary, { ...props, operationProps: shown })
    },
  },
}))
