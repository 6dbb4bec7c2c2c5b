{{- /* The names are fixed: the server looks for its Service by this one, and a cluster has one such webhook. */ -}}
{{- define "karta.labels" -}}
labels: {app.kubernetes.io/name: karta-webhook}
{{- end }}
{{- define "karta.subject" -}}
subjects: [{kind: ServiceAccount, name: karta-webhook, namespace: {{ .Release.Namespace }}}]
{{- end }}
