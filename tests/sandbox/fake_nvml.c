/* Stands in for the driver's libnvidia-ml.so.1: one GPU, whose numbers are in the file FAKE_NVML:
   the first line is the memory in use in MB, or -1 for none; each further line is "pid MB", or one line
   "unavailable" where the driver does not count by process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned long long total, free, used; } memory_t;
typedef struct { unsigned int pid; unsigned long long used; unsigned int instance, compute; } process_t;

static int device;

int nvmlInitWithFlags(unsigned int flags) { return 0; }
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned int *count) { *count = 1; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **handle) { *handle = &device; return 0; }
int nvmlDeviceGetMinorNumber(void *handle, unsigned int *minor) { *minor = 0; return 0; }
const char *nvmlErrorString(int code) { return "fake"; }

int nvmlDeviceGetMemoryInfo(void *handle, memory_t *memory) {
  long long used = -1;
  FILE *file = fopen(getenv("FAKE_NVML"), "r");
  if (!file) return 999;
  if (fscanf(file, "%lld", &used) != 1 || used < 0) { fclose(file); return 999; }
  fclose(file);
  memory->used = (unsigned long long)used << 20;
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned int *count, process_t *found) {
  unsigned int number = 0, pid;
  unsigned long long mb;
  char line[256];
  FILE *file = fopen(getenv("FAKE_NVML"), "r");
  if (!file) return 999;
  if (!fgets(line, sizeof line, file)) { fclose(file); return 999; }
  while (fgets(line, sizeof line, file)) {
    if (!strncmp(line, "unavailable", 11)) { fclose(file); return 3; }
    if (sscanf(line, "%u %llu", &pid, &mb) != 2) continue;
    if (number < *count) { memset(&found[number], 0, sizeof *found); found[number].pid = pid; found[number].used = mb << 20; }
    number++;
  }
  fclose(file);
  if (number > *count) { *count = number; return 7; }
  *count = number;
  return 0;
}
