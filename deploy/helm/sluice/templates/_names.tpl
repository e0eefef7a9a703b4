{{/* Names, labels and the parts of a pod that several templates share. */}}

{{- define "sluice.name" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ $name }}{{ end -}}
{{- end }}

{{- define "sluice.selector" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "sluice.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{ end -}}
{{- end -}}
{{- end }}

{{- define "sluice.claim" -}}
{{- default (printf "%s-data" (include "sluice.name" .)) .Values.sqlite.persistence.existingClaim -}}
{{- end }}

{{/* Rules across values that the schema does not express; rendered by every template that makes a pod. */}}
{{- define "sluice.validate" -}}
{{- if eq .Values.engine "sqlite" }}
{{- if gt (int .Values.replicas) 1 }}
{{- fail "replicas: the engine sqlite serves from one file, so at most one replica may run; set engine to postgres for more" }}
{{- end }}
{{- else }}
{{- if not .Values.postgres.existingSecret }}
{{- fail "postgres.existingSecret: name a Secret with the URL of the database" }}
{{- end }}
{{- if not .Values.postgres.receiptKeySecret }}
{{- fail "postgres.receiptKeySecret: name a Secret with the private key that signs receipts, which all pods share" }}
{{- end }}
{{- end }}
{{- if and .Values.backup.enabled (not .Values.backup.existingClaim) }}
{{- fail "backup.existingClaim: name a claim for the copies, on another disk than the store" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}
{{- fail "ingress.host: name the host" }}
{{- end }}
{{- end }}

{{- define "sluice.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "sluice.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The variables of the service and of every command beside it. Takes a dict of root and urlKey. */}}
{{- define "sluice.environment" -}}
{{- $ := .root -}}
- name: NODE_ENV
  value: production
- name: DATA_DIR
  value: /data
{{- if eq $.Values.engine "postgres" }}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.postgres.existingSecret }}
      key: {{ .urlKey }}
- name: RECEIPT_KEY_FILE
  value: /keys/{{ $.Values.postgres.receiptKeyFile }}
{{- end }}
{{- if and $.Values.ingress.enabled $.Values.ingress.tlsSecret (not (hasKey $.Values.settings "CONSOLE_URL")) }}
- name: CONSOLE_URL
  value: https://{{ $.Values.ingress.host }}
{{- end }}
{{- range $name, $value := $.Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Takes the root. */}}
{{- define "sluice.mounts" -}}
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- if eq .Values.engine "postgres" }}
- name: keys
  mountPath: /keys
  readOnly: true
{{- end }}
{{- end }}

{{- define "sluice.volumes" -}}
- name: tmp
  emptyDir: {}
{{- if eq .Values.engine "postgres" }}
- name: data
  emptyDir: {}
- name: keys
  secret:
    secretName: {{ .Values.postgres.receiptKeySecret }}
    defaultMode: 0440
{{- else }}
- name: data
  persistentVolumeClaim:
    claimName: {{ include "sluice.claim" . }}
{{- end }}
{{- end }}

{{/* The pod that serves. */}}
{{- define "sluice.pod" -}}
metadata:
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
    app.kubernetes.io/component: server
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  # Otherwise Kubernetes adds a variable for every Service in the namespace.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ add .Values.shutdown.delaySeconds .Values.shutdown.graceSeconds 10 }}
  securityContext:
    {{- include "sluice.podSecurity" . | nindent 4 }}
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- if and .Release.IsInstall (eq .Values.engine "sqlite") }}
  # Makes the store of a new release; a later pod never does, and so notices a volume that was lost.
  initContainers:
    - name: migrate
      image: {{ include "sluice.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [migrate]
      env:
        {{- include "sluice.environment" (dict "root" . "urlKey" .Values.postgres.urlKey) | nindent 8 }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        {{- include "sluice.containerSecurity" . | nindent 8 }}
      volumeMounts:
        {{- include "sluice.mounts" . | nindent 8 }}
  {{- end }}
  containers:
    - name: sluice
      image: {{ include "sluice.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      env:
        {{- include "sluice.environment" (dict "root" . "urlKey" .Values.postgres.urlKey) | nindent 8 }}
        {{- if not (hasKey .Values.settings "HOST") }}
        - name: HOST
          value: 0.0.0.0
        {{- end }}
        - name: PORT
          value: "8080"
        - name: SHUTDOWN_DELAY_MS
          value: {{ mul .Values.shutdown.delaySeconds 1000 | quote }}
        - name: SHUTDOWN_GRACE_MS
          value: {{ mul .Values.shutdown.graceSeconds 1000 | quote }}
      {{- with .Values.settingsSecrets }}
      envFrom:
        {{- range . }}
        - secretRef:
            name: {{ . }}
        {{- end }}
      {{- end }}
      ports:
        - name: http
          containerPort: 8080
      startupProbe:
        httpGet: {path: /health/live, port: http}
        periodSeconds: 2
        # A migration of a large store may take minutes.
        failureThreshold: 300
      livenessProbe:
        httpGet: {path: /health/live, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /health/ready, port: http}
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        {{- include "sluice.containerSecurity" . | nindent 8 }}
      volumeMounts:
        {{- include "sluice.mounts" . | nindent 8 }}
  volumes:
    {{- include "sluice.volumes" . | nindent 4 }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
